// Importing viral posts: validation, incremental embedding, and failures of the embedding model.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ViralLine } from "../../functions/commands/import-viral.ts";
import { createEmbedder, DIMENSIONS, type Embedder } from "../../lib/ai/embeddings.ts";
import { generateViralPosts, VIRAL_CORPUS, type ViralPostLine } from "../local/corpus/viral.ts";
import { localEmbedder } from "../local/embedding-model.ts";
import { storePosts } from "../viral-library/corpus.ts";
import { type Library, openLibrary } from "../viral-library/library.ts";

let library: Library;
beforeAll(async () => {
  library = await openLibrary(0);
});
afterAll(() => library.close());

const COUNT = 80;
const POSTS = [...generateViralPosts({ ...VIRAL_CORPUS, count: COUNT })];

function createCountingEmbedder(fails: number): Embedder & { texts: number } {
  let left = fails;
  const counted = {
    ...localEmbedder,
    texts: 0,
    async embed(texts: string[]) {
      if (left > 0) {
        left -= 1;
        throw new Error("HTTP 503");
      }
      counted.texts += texts.length;
      return localEmbedder.embed(texts);
    },
  };
  return counted;
}

const readStored = () => library.database.query("select * from viral_posts order by id");

test("importing lines twice embeds nothing; only a changed post is embedded and keeps its created_at", async () => {
  const first = createCountingEmbedder(0);
  await storePosts(library.db, POSTS, first);
  expect(first.texts).toBe(COUNT);
  const before = await readStored();
  const again = createCountingEmbedder(0);
  await storePosts(library.db, POSTS, again);
  expect(again.texts).toBe(0);
  expect(await readStored()).toEqual(before);

  const [changed] = POSTS;
  const one = createCountingEmbedder(0);
  await storePosts(library.db, [{ ...(changed as ViralPostLine), search_summary: "Now about something else." }], one);
  expect(one.texts).toBe(1);
  const id = `${changed?.platform}_${changed?.id}`;
  const of = (rows: Record<string, unknown>[]) => rows.find((row) => row.id === id);
  const [old, renewed] = [of(before), of(await readStored())];
  expect(renewed?.created_at).toEqual(old?.created_at);
  expect(renewed?.embedding).not.toBe(old?.embedding);
});

test("embedding is retried; after repeated failures the import stops before storing anything", async () => {
  const other = POSTS.map((line) => ({ ...line, id: `other-${line.id}` })).slice(0, 5);
  const shaky = createCountingEmbedder(3);
  await storePosts(library.db, other, shaky);
  expect(shaky.texts).toBe(5);
  const before = await readStored();
  const gone = other.map((line) => ({ ...line, id: `gone-${line.id}` }));
  await expect(storePosts(library.db, gone, createCountingEmbedder(99))).rejects.toThrow("HTTP 503");
  expect(await readStored()).toEqual(before);
});

test("a model is waited for as long as its caller has, which an import says", async () => {
  /** Responds when the waiting time is over, or at once with `ready`. */
  const respond = (ready: boolean) =>
    (async (_url: unknown, init?: RequestInit) => {
      if (!ready)
        await new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
      return Response.json({ data: [{ index: 0, embedding: Array(DIMENSIONS).fill(0.1) }] });
    }) as typeof fetch;
  const settings = { url: "http://model.example/v1/", apiKey: undefined, model: "m", ai: null };
  const slow = createEmbedder({ ...settings, fetch: respond(false), timeoutMs: 1 });
  await expect(slow?.embed(["a"])).rejects.toThrow(/embedding model did not respond/);
  const ready = createEmbedder({ ...settings, fetch: respond(true), timeoutMs: 120_000 });
  expect(await ready?.embed(["a"])).toHaveLength(1);
});

test("rejects invalid posts and reports the field", () => {
  const [good] = POSTS;
  const invalid: [Partial<ViralPostLine>, string][] = [
    [{ metrics: { views: 10_000 } }, "metrics.views"],
    [{ platform: "youtube", video_url: "https://clips.example/a.mp4", ad_signal: null }, "video_url"],
    [{ platform: "threads", ad_signal: { status: "ad", reason: "label" } }, "ad_signal"],
    [{ category: "cars" as "other" }, "category"],
    [{ id: "a b" }, "id"],
    [{ language: "english" }, "language"],
    [{ language: "jp" }, "language"],
    [{ product_app: { store: "apple", app_id: "id284882215", name: "App" } }, "product_app.app_id"],
    [
      { transcript: { language: "en", segments: [{ start_ms: 9, end_ms: 8, text: "a" }] } },
      "transcript.segments.0.end_ms",
    ],
    [{ date_published: "2026-13-01" }, "date_published"],
    [{ date_published: "0000-01-01" }, "date_published"],
    [{ slide_count: 3_000_000_000 }, "slide_count"],
  ];
  for (const [fields, path] of invalid) {
    const parsed = ViralLine.safeParse({ ...good, ...fields });
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toContain(path);
  }
  expect(ViralLine.safeParse(good).success).toBe(true);
});

test("blank texts are null, and names are normalized", async () => {
  const [good] = POSTS;
  const blank = { product_name: " ", account: "@", caption: "", hook_text: "", search_summary: " ", niche: "" };
  await storePosts(library.db, [
    { ...good, id: "blank", ...blank, hashtags: ["#", " #tea", "tea time"] },
    { ...good, id: "named", account: " @cafe\u0301.ann ", product_name: "Cafe\u0301" },
  ] as ViralPostLine[]);
  const api = await library.customer();
  const read = async (id: string) => (await api.get(`/viral-library/${good?.platform}_${id}`)).body.data;
  const absent = Object.fromEntries(Object.keys(blank).map((field) => [field, null]));
  expect(await read("blank")).toMatchObject({ ...absent, hashtags: ["tea", "tea time"] });
  expect(await read("named")).toMatchObject({ account: "caf\u00e9.ann", product_name: "Caf\u00e9" });
  for (const query of ["account=cafe%CC%81.a", "account=@CAF%C3%89.ann", "product_name=cafe%CC%81"]) {
    expect((await api.get(`/viral-library?${query}`)).body.data.total).toBe(1);
  }
});
