// The interface of a benchmark section: measures one aspect on the running stack and returns tables.

import type { LocalStack } from "../local/stack.ts";
import type { Worker } from "../local/worker.ts";

export interface BenchContext {
  stack: LocalStack;
  worker: Worker;
  /** An empty folder for generated files; it is removed at the end. */
  folder: string;
  /** A quick run of about a minute with less reliable numbers. */
  short: boolean;
  log: (line: string) => void;
  /** Registers a cleanup, which also runs after an error; cleanups run in reverse order. */
  onCleanup: (close: () => Promise<unknown>) => void;
}

export type Cell = string | number | null;

export interface Table {
  title: string;
  /** Explains columns that are not self-explanatory. */
  note?: string;
  rows: Record<string, Cell>[];
  /** Exceeded limits; a single one makes the benchmark fail. */
  broken: string[];
  /** True for counts, equal on every machine. A short run checks only these, since its times and memory are noisy. */
  counted?: boolean;
  /** Rendered as a bar chart to `.bench/<file>`: one bar per row, with a mark at `limit`. */
  chart?: { file: string; label: string; value: string; limit: string };
}

export interface Section {
  title: string;
  run(context: BenchContext): Promise<Table[]>;
}
