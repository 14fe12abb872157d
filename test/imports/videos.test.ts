// `npm run import -- videos FILE`: the command itself, on a database of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect } from "../../lib/db.ts";
import { figures } from "../../lib/queries/trends.ts";
import { createCalls } from "../local/calls.ts";
import { observedVideos } from "../local/corpus/videos.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { video } from "../trends/videos.ts";

const END = new Date("2026-06-30T12:00:00.000Z");
const ROOT = join(import.meta.dirname, "../..");

let database: Database;
let folder: string;
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-import-"));
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, lines: unknown[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return file;
}

function start(file: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [join(ROOT, "drizzle/import.ts"), "videos", file], {
    cwd: ROOT,
    env: { ...process.env, ...address(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function finish(file: string, env?: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = start(file, env);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (said += chunk));
  const [code] = await once(child, "close");
  return { code, said };
}

function stored() {
  return database.query("select * from observed_videos order by platform, video_id");
}

async function forget(): Promise<void> {
  await database.exec("truncate observed_videos, imports");
}

test("stores each good line once, and reports each refused one with its number and reason", async () => {
  await forget();
  const { views: _, ...noViews } = video({ video_id: "c" });
  const file = await write("some.jsonl", [
    video({ video_id: "a", hashtags: ["#Skin", "skin"], author_handle: "@ann" }),
    "{broken",
    { ...noViews },
    "",
    { ...video({ video_id: "d" }), colour: "red" },
    video({ video_id: "a", views: 5 }),
    { ...video({ video_id: "e" }), published_at: "yesterday" },
    { ...video({ video_id: "f" }), caption: "half \ud83d a pair" },
    { ...video({ video_id: "g" }), views: Number.MAX_SAFE_INTEGER },
    video({ video_id: "z", caption: "two\u2028lines\u2029of one" }),
    video({ video_id: "h", author_handle: "@" }),
  ]);
  const { code, said } = await finish(file);
  expect(code).toBe(0);
  expect(said).toContain("11/11 lines");
  expect(said).toContain("3 stored, 7 refused");
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
  expect(await stored()).toMatchObject([
    { video_id: "a", views: "5", author_handle: "someone" },
    { video_id: "z", caption: "two\u2028lines\u2029of one" },
  ]);
});

test("a byte order mark and carriage returns, as Windows writes them, are no part of a line", async () => {
  await forget();
  const lines = [video({ video_id: "a" }), video({ video_id: "b", caption: "tea \ufeff for two" })];
  const file = await write("windows.jsonl", [`\ufeff${lines.map((line) => JSON.stringify(line)).join("\r\n")}\r\n`]);
  expect((await finish(file)).said).toContain("2 stored, 0 refused");
  expect(await stored()).toMatchObject([{ video_id: "a" }, { video_id: "b", caption: "tea \ufeff for two" }]);
});

test("the same file again changes nothing; a newer observation brings figures up to date", async () => {
  await forget();
  const file = await write("first.jsonl", [video({ video_id: "a", views: 1 }), video({ video_id: "b", views: 2 })]);
  await finish(file);
  const before = await stored();
  expect((await finish(file)).said).toContain("2 stored");
  expect(await stored()).toEqual(before);
  await finish(await write("second.jsonl", [video({ video_id: "a", views: 9 })]));
  expect(await stored()).toMatchObject([
    { video_id: "a", views: "9" },
    { video_id: "b", views: "2" },
  ]);
});

test("a run that is killed and started again ends with the rows of one clean run, its refused lines told once", async () => {
  const lines: unknown[] = [...observedVideos({ count: 8000, end: END, seed: 7 })];
  for (const at of [10, 700, 4000, 7999]) lines[at] = "{broken";
  const file = await write("many.jsonl", lines);
  await forget();
  await finish(file);
  const clean = await stored();
  const report = await readFile(`${file}.refused.txt`, "utf8");
  expect(clean).toHaveLength(7996);

  await forget();
  for (const steps of [1, 4]) {
    const child = start(file);
    let told = 0;
    child.stdout?.on("data", (chunk) => {
      told += String(chunk).split("lines").length - 1;
      if (told >= steps) child.kill("SIGKILL");
    });
    await once(child, "close");
    expect(child.signalCode).toBe("SIGKILL");
  }
  const half = (await stored()).length;
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(7996);
  expect((await finish(file)).said).toContain("7996 stored, 4 refused");
  expect(await stored()).toEqual(clean);
  expect((await readFile(`${file}.refused.txt`, "utf8")).split("\n").sort()).toEqual(report.split("\n").sort());
}, 120_000);

test("1 and the cause in words when the database is away or the file is not there", async () => {
  const file = await write("one.jsonl", [video({ video_id: "a" })]);
  const away = { DATABASE_URL: "postgres://a:b@127.0.0.1/c", DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };
  const stopped = await finish(file, away);
  expect([stopped.code, stopped.said.includes("params:")]).toEqual([1, false]);
  expect(stopped.said).toContain("The database did not answer");
  expect((await finish(join(folder, "none.jsonl"))).said).toContain("no such file");
});

test("1 and a usage text without a file or with an unknown kind", async () => {
  const child = spawn(process.execPath, [join(ROOT, "drizzle/import.ts"), "posts", "x"], { stdio: "pipe" });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  expect((await once(child, "close"))[0]).toBe(1);
  expect(said).toContain("Usage: npm run import");
});

const SOUGHT = { platform: "tiktok", piece: null, since: new Date("2026-05-31T12:00:00.000Z"), until: END };

test("with nothing observed, counts are 0 and lists empty", async () => {
  await forget();
  const none = await figures(connect(address(), "none"), { ...SOUGHT, keyword: "skincare", hashtag: "skincare" });
  expect(none).toEqual({
    summary: { analyzed_video_count: 0, top_hashtags: [], top_sounds: [], top_creators: [], posting_windows_utc: [] },
    evidence: { sample_videos: [] },
  });
});

test("the most seen videos stand in when none matches, and a match among 20,000 is found by an index", async () => {
  await forget();
  const file = await write("corpus.jsonl", [...observedVideos({ count: 20_000, end: END, seed: 1 })]);
  await finish(file);
  const db = connect(address(), "figures");
  const unmatched = await figures(db, { ...SOUGHT, keyword: "zzzz", hashtag: "zzzz" });
  expect(unmatched.summary.analyzed_video_count).toBe(200);
  const matched = await figures(db, { ...SOUGHT, keyword: "skincare", hashtag: "skincare" });
  expect(matched.evidence.sample_videos).toHaveLength(30);
  for (const { caption, hashtags } of matched.evidence.sample_videos) {
    expect(`${caption} ${hashtags.join(" ")}`).toContain("skincare");
  }
  await database.exec("analyze observed_videos");
  const plan = await database.query<{ "QUERY PLAN": string }>(`explain select * from observed_videos
    where platform = 'tiktok' and published_at between '2026-06-29' and '2026-06-30'
      and (words @@ plainto_tsquery('simple', 'zzzz') or hashtags @> array['zzzz']::text[])`);
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text).not.toContain("Seq Scan");
}, 120_000);
