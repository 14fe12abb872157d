// Imports a file of JSON lines: validates each line, stores them in transactions, and resumes an interrupted run.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import type * as z from "zod";
import { findImportProgress, type Progress, saveImportProgress } from "../../lib/queries/imports.ts";
import type { Db } from "../../lib/services/database.ts";
import { toFieldErrors } from "../../lib/shared/field-errors.ts";
import { findJsonErrors } from "../../lib/shared/json-limits.ts";

/** A kind of import: the schema of a line, and how a batch of lines is stored. */
export interface ImportKind<Line> {
  name: string;
  line: z.ZodType<Line>;
  /** Number of lines that one transaction stores. */
  linesPerTransaction: number;
  /** Identifies the record of a line. Of several lines with the same key the last wins, within and across batches. */
  keyOf(line: Line): string;
  /** The statements of one transaction; calls to other services, such as embeddings, are awaited here first. */
  store(db: Db, lines: Line[]): Promise<Statement[]>;
}

type Statement = Parameters<Db["batch"]>[0][number];

interface Options {
  file: string;
  /** Called after each transaction. */
  onProgress(progress: Progress, total: number): void;
}

/** Returns the counts of the whole file. Rejected lines are listed in `<file>.refused.txt` with number and reason. */
export async function runImport<Line>(
  db: Db,
  kind: ImportKind<Line>,
  { file, onProgress }: Options,
): Promise<Progress> {
  const { fingerprint, total } = await inspectFile(file);
  const progress = await findImportProgress(db, kind.name, fingerprint);
  const report = `${file}.refused.txt`;
  await truncateReport(report, progress.lines);

  let number = 0;
  let batch: Buffer[] = [];
  const storeBatch = async () => {
    const { valid, rejected } = validateLines(kind, batch, progress.lines);
    if (rejected.length > 0) await appendFile(report, `${rejected.join("\n")}\n`);
    progress.lines += batch.length;
    progress.stored += valid.length;
    progress.rejected += rejected.length;
    const unique = [...new Map(valid.map((line) => [kind.keyOf(line), line])).values()];
    const statements = unique.length > 0 ? await kind.store(db, unique) : [];
    await db.batch([saveImportProgress(db, kind.name, fingerprint, progress), ...statements]);
    batch = [];
    onProgress(progress, total);
  };
  for await (const text of readLines(file)) {
    number += 1;
    if (number <= progress.lines) continue;
    batch.push(text);
    if (batch.length === kind.linesPerTransaction) await storeBatch();
  }
  if (batch.length > 0) await storeBatch();
  return progress;
}

/** Splits at line feeds only: captions contain U+2028, where readline would split too. */
async function* readLines(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]);
      rest = [];
      from = end + 1;
    }
    rest.push(chunk.subarray(from));
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield last;
}

/** Drops reported lines after the last stored transaction of an interrupted run; they are reported again. */
async function truncateReport(report: string, lines: number): Promise<void> {
  const reported = await readFile(report, "utf8").catch(() => "");
  const kept = reported.split("\n").filter((line) => Number(/^line (\d+)/.exec(line)?.[1] ?? Number.NaN) <= lines);
  if (kept.length === 0) await rm(report, { force: true });
  else await writeFile(report, `${kept.join("\n")}\n`);
}

const LINE_FEED = 10;

/** By the beginning of a file. What is no line of it would be rejected as often as the file has lines. */
const OTHER_FORMATS: readonly [beginning: RegExp, problem: string][] = [
  [/^(fffe|feff|7b00|007b)/, "The file is UTF-16. Save it as UTF-8."],
  [/^(1f8b|504b0304|28b52ffd)/, "The file is compressed. Unpack it first."],
  [/^(efbbbf)?(20|09|0d|0a)*5b/, "The file is one JSON array. Write one object per line, as jq -c '.[]' does."],
];

/** Throws for another format, which needs another file. */
function requireUtf8Lines(chunk: Buffer): void {
  const beginning = chunk.subarray(0, 64).toString("hex");
  const [, problem] = OTHER_FORMATS.find(([expression]) => expression.test(beginning)) ?? [];
  if (problem) throw new Error(problem);
}

/** Hashes the file and counts its lines, before the import starts. */
async function inspectFile(file: string): Promise<{ fingerprint: string; total: number }> {
  const hash = createHash("sha256");
  let total = 0;
  let last = LINE_FEED;
  let isBeginning = true;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    if (isBeginning) requireUtf8Lines(chunk);
    isBeginning = false;
    hash.update(chunk);
    for (const byte of chunk) if (byte === LINE_FEED) total += 1;
    last = chunk.at(-1) ?? last;
  }
  return { fingerprint: hash.digest("hex"), total: last === LINE_FEED ? total : total + 1 };
}

function validateLines<Line>(
  kind: ImportKind<Line>,
  batch: Buffer[],
  offset: number,
): { valid: Line[]; rejected: string[] } {
  const valid: Line[] = [];
  const rejected: string[] = [];
  for (const [at, bytes] of batch.entries()) {
    const outcome = parseLine(kind, bytes);
    if (!outcome) continue;
    if ("line" in outcome) valid.push(outcome.line);
    else rejected.push(`line ${offset + at + 1}: ${outcome.reason}`);
  }
  return { valid, rejected };
}

/** Null for an empty line. A byte order mark stands where files were joined, too, and `trim` drops it. */
function parseLine<Line>(kind: ImportKind<Line>, bytes: Buffer): { line: Line } | { reason: string } | null {
  if (!isUtf8(bytes)) return { reason: "not UTF-8, so that its letters are not known; save the file as UTF-8" };
  const text = bytes.toString("utf8").trim();
  if (text === "") return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { reason: `not JSON (${(error as Error).message})` };
  }
  const parsed = kind.line.safeParse(json);
  const textErrors = findJsonErrors(json);
  if (parsed.success && textErrors.length === 0) return { line: parsed.data };
  const errors = parsed.success ? textErrors : toFieldErrors(parsed.error);
  const reasons = errors.map(({ path, message }) => `${path || "the line"}: ${message}`);
  return { reason: reasons.join("; ") };
}
