// `npx node test/peers/run.ts [--large] [SUITE ...]`: verifies the media suites of other projects, and compares the outcome of each file
// with expected.tsv and with ImageMagick or ffprobe. `--large` adds Firefox's, an archive of 683 MB.
import { globSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "../bench/format-table.ts";
import { type Expectation, explain, findExpectation, isDisagreement, readExpectations } from "./expected.ts";
import { fetchSuite, prepareApt } from "./fetch-suites.ts";
import type { Judgement } from "./judge.ts";
import { SUITES, type Suite, TYPES } from "./suites.ts";
import "../support/wasm.ts";

// Imported when the hook of wasm.ts is registered.
const { findMissingPeer, judgeFile } = await import("./judge.ts");

interface SuiteResult {
  suite: string;
  files: number;
  accepted: number;
  rejected: number;
  disagreements: number;
  unexpected: number;
}

const { values, positionals } = parseArgs({
  options: { large: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`Unknown suite ${unknown.join(", ")}. Available: ${SUITES.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const chosen = SUITES.filter(({ name, large }) =>
  positionals.length > 0 ? positionals.includes(name) : values.large || !large,
);
const missing = findMissingPeer() ?? prepareApt();
if (missing) console.log(`Skipped: the peers' media suites. ${missing}.`);
else process.exitCode = (await runSuites(chosen)) ? 0 : 1;

/** Returns whether every outcome was expected. */
async function runSuites(suites: Suite[]): Promise<boolean> {
  const expectations = readExpectations();
  const results: SuiteResult[] = [];
  const reasons = new Map<string, number>();
  let isExpected = true;
  for (const suite of suites) {
    const fetched = fetchSuite(suite);
    if (typeof fetched === "string") {
      console.log(`Skipped: ${suite.what} (${suite.name}) cannot be fetched: ${fetched}`);
      continue;
    }
    const result = await runSuite(suite, fetched.folder, expectations, reasons);
    results.push(result);
    if (result.unexpected === 0) continue;
    // Another version has other files, so its differences are for a person to read.
    if (fetched.version === suite.version) isExpected = false;
    else console.log(`${suite.name} is ${fetched.version}, expected.tsv is for ${suite.version}: nothing fails`);
  }
  console.log(
    `\n${formatTable({
      title: "Media suites of other projects",
      note: "Beside ImageMagick for images and ffprobe for videos; unexpected are outcomes other than in test/peers/expected.tsv.",
      rows: results.map((result) => ({ ...result })),
      broken: [],
    })}\n\n${formatTable({
      title: "Disagreements by reason",
      rows: [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, files]) => ({ files, reason })),
      broken: [],
    })}`,
  );
  return isExpected;
}

async function runSuite(
  suite: Suite,
  folder: string,
  expectations: Map<string, Expectation>,
  reasons: Map<string, number>,
): Promise<SuiteResult> {
  const result = { suite: suite.what, files: 0, accepted: 0, rejected: 0, disagreements: 0, unexpected: 0 };
  for (const file of globSync("**/*", { cwd: folder }).toSorted()) {
    const contentType = TYPES[extname(file).slice(1)];
    if (!contentType) continue;
    const path = `${suite.name}/${file}`;
    const judged = await judgeFile(join(folder, file), contentType);
    const expected = findExpectation(expectations, path);
    result.files += 1;
    result[judged.ours === "accepted" ? "accepted" : "rejected"] += 1;
    if (isDisagreement(judged)) {
      result.disagreements += 1;
      const reason = explain({ ...judged, reason: expected.reason });
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      if (reason === "") console.log(`no reason in expected.tsv for ${formatRow(path, judged)}`);
    }
    const isSame = judged.ours === expected.ours && judged.peer === expected.peer;
    if (isSame && (!isDisagreement(judged) || explain(expected) !== "")) continue;
    result.unexpected += 1;
    console.log(`unexpected: ${formatRow(path, judged)}; expected ${expected.ours}, ${expected.peer}`);
  }
  return result;
}

function formatRow(path: string, { ours, peer }: Judgement): string {
  return `${path}\t${ours}\t${peer}`;
}
