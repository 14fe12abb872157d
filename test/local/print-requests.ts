// Follows the log of the Worker and prints each request as one readable line.

import { open } from "node:fs/promises";
import { setInterval } from "node:timers";
import { at } from "../../lib/shared/at.ts";

const INTERVAL_MS = 200;

interface LogLine {
  level?: string;
  endpoint?: string;
  route?: string;
  status?: number;
  error_code?: string;
  fields?: string[];
  ids?: string[];
  ms?: number;
  round_trips?: number;
  request_id?: string;
  error?: string;
  configuration?: string;
}

/** Prints what is appended to the file from now on. Returns a function that stops it. */
export async function printRequests(path: string, print: (line: string) => void): Promise<() => Promise<void>> {
  const file = await open(path, "r");
  let position = (await file.stat()).size;
  let rest = "";
  let reading = Promise.resolve();
  const timer = setInterval(() => {
    reading = reading.then(readOn).catch(() => undefined);
  }, INTERVAL_MS);

  async function readOn(): Promise<void> {
    const { size } = await file.stat();
    if (size <= position) return;
    const buffer = Buffer.alloc(size - position);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    position += bytesRead;
    const lines = (rest + buffer.toString("utf8", 0, bytesRead)).split("\n");
    rest = at(lines.splice(-1), 0);
    for (const line of lines) {
      const readable = formatLine(line);
      if (readable) print(readable);
    }
  }

  return async () => {
    clearInterval(timer);
    await reading;
    await file.close();
  };
}

/** A line of the Worker's log for people; null for what is not about a request. wrangler puts words before the JSON. */
export function formatLine(line: string): string | null {
  const start = line.indexOf('{"request_id"');
  if (start < 0) return null;
  const entry = parseLine(line.slice(start));
  if (!entry) return null;
  const { status, route = "", ms, error_code, fields, ids, round_trips, request_id, error, configuration } = entry;
  if (status === undefined) {
    const problem = error ?? configuration;
    return problem === undefined ? null : `ERROR  ${problem}  (${request_id})`;
  }
  const what = [
    String(status),
    `${ms} ms`.padStart(8),
    formatRoundTrips(round_trips).padEnd(14),
    route,
    ...(error_code ? [error_code] : []),
    ...(fields ? [fields.join(", ")] : []),
    ...(ids?.length ? [ids.join(" ")] : []),
  ];
  return what.join("  ");
}

/** Only endpoints count them. */
function formatRoundTrips(count: number | undefined): string {
  if (count === undefined) return "";
  return count === 1 ? "1 round trip" : `${count} round trips`;
}

function parseLine(text: string): LogLine | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
