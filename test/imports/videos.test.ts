// `npm run import -- videos FILE`, run as a command on a separate database.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { computeBriefFigures } from "../../lib/queries/trends.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { generateObservedVideos } from "../local/corpus/videos.ts";
import type { Database } from "../local/database.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";
import { buildVideo } from "../trends/factories.ts";
import { IMPORT_COMMAND, runVideoImport, startVideoImport, writeImportFile } from "./import-command.ts";

const END = new Date("2026-06-30T12:00:00.000Z");

let database: Database;
let folder: string;
let config: SeparateDatabase["config"];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-import-"));
  ({ database, config } = await openSeparateDatabase("imports"));
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const writeLines = (name: string, lines: unknown[]) => writeImportFile(join(folder, name), lines);
const startImport = (file: string) => startVideoImport(file, config);
const runImportCommand = (file: string, env = {}) => runVideoImport(file, { ...config, ...env });

function readStored() {
  return database.query("select * from observed_videos order by platform, video_id");
}

async function deleteImported(): Promise<void> {
  await database.exec("truncate observed_videos, imports");
}

test("stores each valid line once, and reports each rejected line with number and reason", async () => {
  await deleteImported();
  const { views: _, ...noViews } = buildVideo({ video_id: "c" });
  const file = await writeLines("some.jsonl", [
    buildVideo({ video_id: "a", hashtags: ["#Skin", "skin"], author_handle: "@ann" }),
    "{broken",
    { ...noViews },
    "",
    { ...buildVideo({ video_id: "d" }), colour: "red" },
    buildVideo({ video_id: "a", views: 5 }),
    { ...buildVideo({ video_id: "e" }), published_at: "yesterday" },
    { ...buildVideo({ video_id: "f" }), caption: "half \ud83d a pair" },
    { ...buildVideo({ video_id: "g" }), views: Number.MAX_SAFE_INTEGER },
    buildVideo({ video_id: "z", caption: "two\u2028lines\u2029of one" }),
    buildVideo({ video_id: "h", author_handle: "@" }),
  ]);
  const { code, output } = await runImportCommand(file);
  expect(code).toBe(0);
  expect(output).toContain("11/11 lines");
  expect(output).toContain("3 stored, 7 rejected");
  const report = (await readFile(`${file}.refused.txt`, "utf8")).trim().split("\n");
  expect(report.map((line) => line.split(":").slice(0, 2).join(":"))).toEqual([
    expect.stringMatching(/^line 2: not JSON/),
    "line 3: views",
    "line 5: colour",
    "line 7: published_at",
    "line 8: caption",
    "line 9: views",
    "line 11: author_handle",
  ]);
  expect(await readStored()).toMatchObject([
    { video_id: "a", views: "5", author_handle: "someone" },
    { video_id: "z", caption: "two\u2028lines\u2029of one" },
  ]);
});

test("ignores a byte order mark and carriage returns", async () => {
  await deleteImported();
  const lines = [buildVideo({ video_id: "a" }), buildVideo({ video_id: "b", caption: "tea \ufeff for two" })];
  const file = await writeLines("windows.jsonl", [
    `\ufeff${lines.map((line) => JSON.stringify(line)).join("\r\n")}\r\n`,
  ]);
  expect((await runImportCommand(file)).output).toContain("2 stored, 0 rejected");
  expect(await readStored()).toMatchObject([{ video_id: "a" }, { video_id: "b", caption: "tea \ufeff for two" }]);
});

test("takes files that were joined, and rejects lines in another encoding instead of storing other letters", async () => {
  await deleteImported();
  const line = (id: string, caption: string) => JSON.stringify(buildVideo({ video_id: id, caption }));
  const file = join(folder, "joined.jsonl");
  const latin1 = Buffer.from(line("c", "Caf\u00e9"), "latin1");
  const joined = [
    `${line("a", "Caf\u00e9 \ufffd")}\n`,
    `\ufeff${line("b", "tea")}\r\n`,
    latin1,
    `\n${line("d", "tea")}`,
  ];
  await writeFile(file, Buffer.concat(joined.map((part) => Buffer.from(part))));
  expect((await runImportCommand(file)).output).toContain("3 stored, 1 rejected");
  expect(await readFile(`${file}.refused.txt`, "utf8")).toMatch(/^line 3: not UTF-8.*\n$/);
  expect(await readStored()).toMatchObject([
    { video_id: "a", caption: "Caf\u00e9 \ufffd" },
    { video_id: "b" },
    { video_id: "d" },
  ]);
});

test("reads a row that is longer than the chunks of a file", async () => {
  await deleteImported();
  const long = { ...buildVideo({ video_id: "a" }), colour: "\u00e9".repeat(200_000) };
  const file = await writeLines("long.jsonl", [long, buildVideo({ video_id: "b", caption: "\u00e9" })]);
  expect((await runImportCommand(file)).output).toContain("2/2 lines, 1 rejected");
  expect(await readStored()).toMatchObject([{ video_id: "b", caption: "\u00e9" }]);
});

test("a file of another format is named as what it is, once", async () => {
  await deleteImported();
  const video = buildVideo({ video_id: "a" });
  const files: [name: string, bytes: Buffer, problem: RegExp][] = [
    ["windows.jsonl", Buffer.from(`\ufeff${JSON.stringify(video)}\n`, "utf16le"), /UTF-16\. Save it as UTF-8/],
    ["plain16.jsonl", Buffer.from(`${JSON.stringify(video)}\n`, "utf16le"), /UTF-16\. Save it as UTF-8/],
    ["packed.jsonl", gzipSync(JSON.stringify(video)), /compressed\. Unpack it first/],
    ["array.json", Buffer.from(JSON.stringify([video], null, 2)), /one JSON array\. Write one object per line/],
  ];
  for (const [name, bytes, problem] of files) {
    await writeFile(join(folder, name), bytes);
    const { code, output } = await runImportCommand(join(folder, name));
    expect([name, code]).toEqual([name, 1]);
    expect(output).toMatch(problem);
  }
  expect(await readStored()).toEqual([]);
});

test("importing a file twice changes nothing; newer observations update metrics", async () => {
  await deleteImported();
  const file = await writeLines("first.jsonl", [
    buildVideo({ video_id: "a", views: 1 }),
    buildVideo({ video_id: "b", views: 2 }),
  ]);
  await runImportCommand(file);
  const before = await readStored();
  expect((await runImportCommand(file)).output).toContain("2 stored");
  expect(await readStored()).toEqual(before);
  await runImportCommand(await writeLines("second.jsonl", [buildVideo({ video_id: "a", views: 9 })]));
  expect(await readStored()).toMatchObject([
    { video_id: "a", views: "9" },
    { video_id: "b", views: "2" },
  ]);
});

test("an interrupted import resumes with the same rows and reports rejected lines once", async () => {
  const lines: unknown[] = [...generateObservedVideos({ count: 5000, end: END, seed: 7 })];
  for (const at of [10, 700, 4000, 4999]) lines[at] = "{broken";
  const file = await writeLines("many.jsonl", lines);
  await deleteImported();
  await runImportCommand(file);
  const clean = await readStored();
  const report = await readFile(`${file}.refused.txt`, "utf8");
  expect(clean).toHaveLength(4996);

  await deleteImported();
  for (const steps of [1, 4]) {
    const child = startImport(file);
    let progressLines = 0;
    child.stdout?.on("data", (chunk) => {
      progressLines += String(chunk).split("lines").length - 1;
      if (progressLines >= steps) child.kill("SIGKILL");
    });
    await once(child, "close");
    expect(child.signalCode).toBe("SIGKILL");
  }
  const half = (await readStored()).length;
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(4996);
  expect((await runImportCommand(file)).output).toContain("4996 stored, 4 rejected");
  expect(await readStored()).toEqual(clean);
  expect((await readFile(`${file}.refused.txt`, "utf8")).split("\n").sort()).toEqual(report.split("\n").sort());
});

test("exits with 1 and the cause when the database or the file is unavailable", async () => {
  const file = await writeLines("one.jsonl", [buildVideo({ video_id: "a" })]);
  const away = { DATABASE_URL: "postgres://a:b@127.0.0.1/c", DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };
  const failed = await runImportCommand(file, away);
  expect([failed.code, failed.output.includes("params:")]).toEqual([1, false]);
  expect(failed.output).toContain("The database did not respond");
  expect((await runImportCommand(join(folder, "none.jsonl"))).output).toContain("no such file");
});

test("exits with 1 and the usage without a file or with an unknown kind", async () => {
  const child = spawn(process.execPath, [IMPORT_COMMAND, "posts", "x"], { stdio: "pipe" });
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  expect((await once(child, "close"))[0]).toBe(1);
  expect(output).toContain("Usage: npm run import");
});

const TREND_QUERY = { platform: "tiktok", substring: null, since: new Date("2026-05-31T12:00:00.000Z"), until: END };

test("a brief without observations has counts of 0 and empty lists", async () => {
  await deleteImported();
  const none = await computeBriefFigures(openDatabase(config, "none"), {
    ...TREND_QUERY,
    keyword: "skincare",
    hashtag: "skincare",
  });
  expect(none).toEqual({
    summary: { analyzed_video_count: 0, top_hashtags: [], top_sounds: [], top_creators: [], posting_windows_utc: [] },
    evidence: { sample_videos: [] },
  });
});
