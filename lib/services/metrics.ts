// Data points for Workers Analytics Engine: written in the background, and left out where no dataset is bound.

/** The kinds of data points; what their labels and values mean is listed in .github/RUNBOOKS.md. */
export interface DataPoint {
  kind: "delivery_step" | "sweep";
  /** The sampling key; empty for work of all customers. */
  scopeId: string;
  labels: string[];
  values: number[];
}

export interface Metrics {
  write(point: DataPoint): void;
}

/** The part of the Analytics Engine binding that the service uses. */
export interface MetricsDataset {
  writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void;
}

/** Of one invocation: https://developers.cloudflare.com/analytics/analytics-engine/limits/, read 2026-11-24. */
const MAX_DATA_POINTS = 25;

export function openMetrics(dataset: MetricsDataset | null): Metrics {
  let written = 0;
  return {
    write({ kind, scopeId, labels, values }) {
      if (!dataset || written >= MAX_DATA_POINTS) return;
      written += 1;
      try {
        dataset.writeDataPoint({ indexes: [scopeId || "-"], blobs: [kind, ...labels], doubles: values });
      } catch {
        // A metric that is lost must not end the delivery that it describes.
      }
    },
  };
}
