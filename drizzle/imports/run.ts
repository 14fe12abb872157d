// Runs an import: reads a file of JSON lines, checks each, stores them step by step, and goes on where an earlier run was killed.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import type * as z from "zod";
import type { Db } from "../../lib/db.ts";
import { faultsOf, unstorable } from "../../lib/invalid.ts";
import { moveOn, type Progress, progressOf } from "../../lib/queries/imports.ts";

/** What can be imported: the schema of a line, and how a batch of lines is stored in one statement. */
export interface Kind<Line> {
  name: string;
  line: z.ZodType<Line>;
  /** How many lines one transaction takes. */
  linesPerStep: number;
  /** Lines of one step with the same name are one record; the last wins, as it would if they came apart. */
  keyOf(line: Line): string;
  /** Statements for one transaction; what must be asked elsewhere first is awaited here. */
  store(db: Db, lines: Line[]): Promise<Statement[]>;
}

type Statement = Parameters<Db["batch"]>[0][number];

interface Options {
  file: string;
  /** Called after each step. */
  tell(progress: Progress, total: number): void;
}

/** The figures of the whole file; every refused line is in `<file>.refused.txt` with its number and reason. */
export async function runImport<Line>(db: Db, kind: Kind<Line>, { file, tell }: Options): Promise<Progress> {
  const { fingerprint, total } = await survey(file);
  const progress = await progressOf(db, kind.name, fingerprint);
  const report = `${file}.refused.txt`;
  await cutBack(report, progress.lines);

  let number = 0;
  let step: string[] = [];
  const take = async () => {
    const { good, refused } = check(kind, step, progress.lines);
    if (refused.length > 0) await appendFile(report, `${refused.join("\n")}\n`);
    progress.lines += step.length;
    progress.stored += good.length;
    progress.refused += refused.length;
    const unique = [...new Map(good.map((line) => [kind.keyOf(line), line])).values()];
    const statements = unique.length > 0 ? await kind.store(db, unique) : [];
    await db.batch([moveOn(db, kind.name, fingerprint, progress), ...statements]);
    step = [];
    tell(progress, total);
  };
  for await (const text of linesOf(file)) {
    number += 1;
    if (number <= progress.lines) continue;
    step.push(text);
    if (step.length === kind.linesPerStep) await take();
  }
  if (step.length > 0) await take();
  return progress;
}

/** Only a line feed ends a line: captions hold U+2028, which readline would break them at. A byte order mark is dropped. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = "";
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
    begun = lines.pop() ?? "";
    yield* lines;
  }
  begun += decoder.decode();
  if (begun !== "") yield begun;
}

/** A run that was killed may have told lines that it did not get past; they are told again. */
async function cutBack(report: string, lines: number): Promise<void> {
  const told = await readFile(report, "utf8").catch(() => "");
  const kept = told.split("\n").filter((line) => Number(/^line (\d+)/.exec(line)?.[1] ?? Number.NaN) <= lines);
  if (kept.length === 0) await rm(report, { force: true });
  else await writeFile(report, `${kept.join("\n")}\n`);
}

/** One pass before the first line is taken: which file this is, and how long. */
async function survey(file: string): Promise<{ fingerprint: string; total: number }> {
  const hash = createHash("sha256");
  let total = 0;
  let last = 10;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    for (const byte of chunk) if (byte === 10) total += 1;
    last = chunk.at(-1) ?? last;
  }
  return { fingerprint: hash.digest("hex"), total: last === 10 ? total : total + 1 };
}

function check<Line>(kind: Kind<Line>, step: string[], before: number): { good: Line[]; refused: string[] } {
  const good: Line[] = [];
  const refused: string[] = [];
  for (const [at, text] of step.entries()) {
    if (text.trim() === "") continue;
    const outcome = read(kind, text);
    if ("line" in outcome) good.push(outcome.line);
    else refused.push(`line ${before + at + 1}: ${outcome.reason}`);
  }
  return { good, refused };
}

function read<Line>(kind: Kind<Line>, text: string): { line: Line } | { reason: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { reason: `not JSON (${(error as Error).message})` };
  }
  const parsed = kind.line.safeParse(json);
  const unfit = unstorable(json, "", 0);
  if (parsed.success && unfit.length === 0) return { line: parsed.data };
  const wrong = parsed.success ? unfit : faultsOf(parsed.error);
  const faults = wrong.map(({ path, message }) => `${path || "the line"}: ${message}`);
  return { reason: faults.join("; ") };
}
