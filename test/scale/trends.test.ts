// Figures of a trend brief among 20,000 observed videos, imported by the command.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { computeBriefFigures } from "../../lib/queries/trends.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { runVideoImport, writeImportFile } from "../imports/import-command.ts";
import { generateObservedVideos } from "../local/corpus/videos.ts";
import type { Database } from "../local/database.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";

const END = new Date("2026-06-30T12:00:00.000Z");
const QUERY = { platform: "tiktok", substring: null, since: new Date("2026-05-31T12:00:00.000Z"), until: END };

let database: Database;
let config: SeparateDatabase["config"];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-trends-"));
  ({ database, config } = await openSeparateDatabase("trends"));
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

test("a keyword without a match has counts of 0 among 20,000 videos, and a match is found by index", async () => {
  const lines = [...generateObservedVideos({ count: 20_000, end: END, seed: 1 })];
  await runVideoImport(await writeImportFile(join(folder, "corpus.jsonl"), lines), config);
  const db = openDatabase(config, "figures");
  const unmatched = await computeBriefFigures(db, { ...QUERY, keyword: "zzzz", hashtag: "zzzz" });
  expect([unmatched.summary.analyzed_video_count, unmatched.evidence.sample_videos]).toEqual([0, []]);
  const matched = await computeBriefFigures(db, { ...QUERY, keyword: "skincare", hashtag: "skincare" });
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
