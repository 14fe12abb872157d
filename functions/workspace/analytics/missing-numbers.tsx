// The numbers that the network of a tracked account does not give, and why.
import type { FC } from "hono/jsx";
import { METRICS, type Metric } from "../../../lib/shared/metrics.ts";
import { formatInstant, getPlatformName } from "../format.ts";
import type { PageContext } from "../page.ts";
import { MEASURE_WORDS, type TrackedAccount } from "./words.ts";

export const MissingNumbers: FC<{ c: PageContext; target: TrackedAccount }> = ({ c, target }) => {
  const missing = METRICS.filter((metric) => target.numbers[metric].coverage !== "given");
  return missing.length === 0 ? null : (
    <ul class="hint">
      {missing.map((metric) => (
        <li>{explain(c, target, metric)}</li>
      ))}
    </ul>
  );
};

function explain(c: PageContext, { platform, numbers }: TrackedAccount, metric: Metric): string {
  const [words, network] = [MEASURE_WORDS[metric], getPlatformName(platform)];
  const { coverage, permission, refreshed_at } = numbers[metric];
  if (coverage === "permission_missing")
    return `${words}: not given, because the account did not grant ${permission}. Connect it again and allow it.`;
  if (coverage === "not_given") return `${words}: ${network} does not give this number.`;
  return refreshed_at === null
    ? `${words}: ${network} refuses this number at the moment.`
    : `${words}: ${network} refuses this number at the moment. What is shown is of ${formatInstant(new Date(refreshed_at), c.var.timeZone)}.`;
}
