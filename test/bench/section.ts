// What a section of the bench is: a file that measures one thing in the running world and answers with tables.
import type { Worker } from "../local/worker.ts";
import type { World } from "../local/world.ts";

export interface Context {
  world: World;
  worker: Worker;
  /** An empty folder for what a section generates; it is removed at the end. */
  folder: string;
  /** A taste in a minute instead of numbers to rely on. */
  short: boolean;
  say: (line: string) => void;
  /** Runs at the end, after an error too; the last one given runs first. */
  atEnd: (close: () => Promise<unknown>) => void;
}

export type Cell = string | number | null;

export interface Table {
  title: string;
  /** How to read it, where the columns do not say so. */
  note?: string;
  rows: Record<string, Cell>[];
  /** What was promised and not kept; a single one makes the bench fail. */
  broken: string[];
  /** Counts, the same on every machine; a short run judges these alone, since times and memory are noisy in it. */
  counted?: boolean;
  /** Drawn as bars into `.bench/<file>`: one per row, `limit` as a mark across it. */
  chart?: { file: string; label: string; value: string; limit: string };
}

export interface Section {
  title: string;
  run(context: Context): Promise<Table[]>;
}
