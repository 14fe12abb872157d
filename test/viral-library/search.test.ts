// GET /viral-library, /{postId} and /{postId}/transcript over HTTP.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestResponse } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { storePosts } from "./corpus.ts";
import { type Library, openLibrary } from "./library.ts";

let library: Library;
beforeAll(async () => {
  library = await openLibrary(1200);
});
afterAll(() => library.close());

async function search(query: Record<string, string | number>) {
  const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return (await library.customer()).get(`/viral-library?${asked}`);
}

test("422 invalid_query reports the parameter", async () => {
  const cases: [Record<string, string | number>, string][] = [
    [{ q: "" }, "q"],
    [{ q: "x".repeat(201) }, "q"],
    [{ category: "cars" }, "category"],
    [{ business_type: "shop" }, "business_type"],
    [{ platform: "facebook" }, "platform"],
    [{ content_type: "photo" }, "content_type"],
    [{ account: " " }, "account"],
    [{ account: "@" }, "account"],
    [{ app_store_ids: "12,abc" }, "app_store_ids"],
    [{ app_store_ids: Array.from({ length: 101 }, (_, at) => at).join(",") }, "app_store_ids"],
    [{ max_slides: 0 }, "max_slides"],
    [{ max_slides: 101 }, "max_slides"],
    [{ paid_reach: "paid" }, "paid_reach"],
    [{ sponsored: "yes" }, "sponsored"],
    [{ language: "english" }, "language"],
    [{ language: "en,jp" }, "language"],
    [{ language: "de,en,es,fr,it,ja,ko,nl,pl,pt,ru,sv,tr,uk,zh,ar,hi,id,vi,th,mul" }, "language"],
    [{ published_since: "2026-02-30" }, "published_since"],
    [{ published_until: "0000-12-31" }, "published_until"],
    [{ published_since: "2026-02-02", published_until: "2026-02-01" }, "published_until"],
    [{ sort: "best" }, "sort"],
    [{ limit: 0 }, "limit"],
    [{ limit: 41 }, "limit"],
    [{ offset: 961 }, "offset"],
    [{ relevance: 1 }, "relevance"],
  ];
  const customer = await library.customer();
  for (const [query, field] of cases) {
    const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const response = await customer.get(`/viral-library?${asked}`);
    expect([field, response.status, response.body.error_code]).toEqual([field, 422, "invalid_query"]);
    expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
  }
  // Rejected requests over the limit per minute consumed nothing.
  const good = await customer.get("/viral-library?limit=1");
  expect(good.status).toBe(200);
  expect(good.headers.get("ratelimit")).toContain('"viral_searches";r=19');
});

test("200 returns every field of a post; search results have neither slide texts nor relevance", async () => {
  const { body } = await search({ content_type: "slideshow", platform: "tiktok", limit: 1 });
  const [post] = body.data.posts;
  expect(Object.keys(post).sort()).toEqual(
    [
      ...["account", "ad_signal", "business_type", "caption", "category", "content_type", "creator_sponsored"],
      ...[
        "date_published",
        "hashtags",
        "hook_analysis",
        "hook_text",
        "id",
        "image_urls",
        "language",
        "link",
        "metrics",
      ],
      ...["niche", "platform", "preview_image_url", "product_app", "product_name", "product_website", "relevance"],
      ...["search_keywords", "search_summary", "slide_count", "slide_texts", "topics", "video_url"],
    ].sort(),
  );
  expect(post.slide_texts).toBeNull();
  expect(post.relevance).toBeNull();
  expect(post.image_urls).toHaveLength(post.slide_count);
  expect(post.date_published).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(Object.keys(post.metrics).sort()).toEqual(["bookmarks", "comments", "likes", "shares", "views"]);
});

test("200 each filter returns exactly its matches", async () => {
  const posts = library.lines;
  const expected: [Record<string, string | number>, (post: (typeof posts)[number]) => boolean][] = [
    [{ category: "pets" }, (post) => post.category === "pets"],
    [{ business_type: "unclassified" }, (post) => post.business_type === "unclassified"],
    [{ platform: "threads" }, (post) => post.platform === "threads"],
    [{ content_type: "mixed" }, (post) => post.content_type === "mixed"],
    [{ account: "INDOOR.cats" }, (post) => post.account?.includes("indoor.cats") === true],
    [{ account: "_" }, () => false],
    [{ product_name: "wly" }, (post) => post.product_name?.includes("wly") === true],
    [
      { app_store_ids: "1001, 1002,1003,1004" },
      (post) => ["1001", "1002", "1003", "1004"].includes(post.product_app?.app_id ?? ""),
    ],
    [{ max_slides: 4 }, (post) => typeof post.slide_count === "number" && post.slide_count <= 4],
    [{ paid_reach: "ads" }, (post) => post.ad_signal?.status === "ad"],
    [{ paid_reach: "likely_or_ads" }, (post) => Boolean(post.ad_signal)],
    [{ paid_reach: "not_ads" }, (post) => !post.ad_signal],
    [{ sponsored: "true" }, (post) => post.creator_sponsored === true],
    [{ sponsored: "false" }, (post) => post.creator_sponsored !== true],
    [{ language: "MUL,und" }, (post) => post.language === "mul"],
    [
      { published_since: "2026-03-01", published_until: "2026-03-31" },
      (post) => post.date_published.startsWith("2026-03"),
    ],
  ];
  for (const [query, fits] of expected) {
    const { status, body } = await search({ ...query, limit: 1 });
    expect([query, status, body.data?.total]).toEqual([query, 200, posts.filter(fits).length]);
  }
});

test("200 sorts with nulls last and ties by id", async () => {
  const ids = (response: { body: { data: { posts: { id: string }[] } } }) =>
    response.body.data.posts.map(({ id }) => id);
  const by = (value: (line: (typeof library.lines)[number]) => number | null | undefined) =>
    library.lines
      .map((line) => ({ id: `${line.platform}_${line.id}`, value: value(line) ?? -1 }))
      .sort((a, b) => b.value - a.value || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
  expect(ids(await search({ sort: "most_views", limit: 40 }))).toEqual(by(({ metrics }) => metrics.views).slice(0, 40));
  expect(ids(await search({ sort: "most_slides", limit: 40 }))).toEqual(by((line) => line.slide_count).slice(0, 40));
  expect(ids(await search({ sort: "latest_posted", limit: 40 }))).toEqual(
    by(({ date_published: day }) => Date.parse(day)).slice(0, 40),
  );
  const last = await search({ sort: "most_comments", category: "pets", limit: 40, offset: 20 });
  const comments = last.body.data.posts.map((post: { metrics: { comments: number | null } }) => post.metrics.comments);
  const firstNull = comments.indexOf(null);
  expect(firstNull).toBeGreaterThan(0);
  expect(comments.slice(firstNull).every((value: number | null) => value === null)).toBe(true);
});

test("200 q finds posts by meaning without a shared word, combined with filters", async () => {
  const q = "teaching a young dog to behave";
  const response = await search({ q, language: "en", limit: 12 });
  const { posts, total } = response.body.data;
  expect(posts).toHaveLength(12);
  expect(total).toBeGreaterThanOrEqual(12);
  for (const { niche, caption, search_summary: summary } of posts) {
    expect(niche).toBe("puppy training");
    expect(`${caption} ${summary}`).not.toMatch(/teach|young|dog|behav/i);
  }
  const none = await search({ q, category: "books" });
  expect(none.body.data).toMatchObject({ posts: [], total: 0, has_more: false, next_offset: null });
});

test("200 q with another sort orders the matches by it", async () => {
  const q = "belly ache after dinner";
  type Found = { id: string; metrics: { views: number } };
  const byMeaning: Found[] = (await search({ q, limit: 40 })).body.data.posts;
  expect(byMeaning.length).toBeGreaterThan(10);
  expect(byMeaning.length).toBeLessThan(40);
  const byViews: Found[] = (await search({ q, sort: "most_views", limit: 40 })).body.data.posts;
  const order = (found: Found[]) => found.toSorted((a, b) => b.metrics.views - a.metrics.views).map(({ id }) => id);
  expect(byViews.map(({ id }) => id)).toEqual(order(byMeaning));
});

test("200 at the limit of 1,000 results has_more is true without a next offset", async () => {
  const end = (await search({ limit: 40, offset: 960 })).body.data;
  expect([end.posts.length, end.total, end.has_more, end.next_offset]).toEqual([40, 1200, true, null]);
  const first = (await search({ limit: 40 })).body.data;
  expect([first.has_more, first.next_offset]).toEqual([true, 40]);
  const last = (await search({ category: "pets", limit: 40, offset: 40 })).body.data;
  expect([last.posts.length, last.total, last.has_more, last.next_offset]).toEqual([10, 50, false, null]);
});

test("200 a cursor with an offset returns no post beyond result 1,000", async () => {
  const customer = await library.customer();
  const path = "/viral-library?sort=newest&limit=40";
  const { next_cursor: cursor } = (await customer.get(`${path}&offset=920`)).body.data;
  for (const [offset, count] of [
    [0, 40],
    [20, 20],
    [40, 0],
    [960, 0],
  ]) {
    const { data } = (await customer.get(`${path}&cursor=${cursor}&offset=${offset}`)).body;
    expect([offset, data.posts.length, data.next_offset, data.next_cursor]).toEqual([offset, count, null, null]);
  }
});

test("200 pages are disjoint and complete during an import", async () => {
  const customer = await library.customer();
  const seen: string[] = [];
  let offset: number | null = 0;
  let total = 0;
  while (offset !== null) {
    const { body } = await customer.get(`/viral-library?category=music&sort=newest&limit=10&offset=${offset}`);
    seen.push(...body.data.posts.map((post: { id: string }) => post.id));
    total = body.data.total;
    offset = body.data.next_offset;
    const copies = library.lines.filter(({ category }) => category === "music").slice(0, 3);
    await storePosts(
      library.db,
      copies.map((line) => ({ ...line, id: `new-${newId()}` })),
    );
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(total);
  expect(seen.some((id) => id.includes("new-"))).toBe(false);
});

test("200 pages by cursor show the results of the first page, also while the same search starts again", async () => {
  const customer = await library.customer();
  const path = "/viral-library?category=travel&sort=newest&limit=20";
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: TestResponse = await customer.get(`${path}${cursor ? `&cursor=${cursor}` : ""}`);
    seen.push(...page.body.data.posts.map((post: { id: string }) => post.id));
    cursor = page.body.data.next_cursor;
    const [line] = library.lines.filter(({ category }) => category === "travel");
    await storePosts(library.db, [{ ...line, id: `new-${newId()}` }] as typeof library.lines);
    // The newer results of this search are not those of the cursor.
    expect((await customer.get(path)).body.data.posts[0].id).toContain("new-");
  }
  expect([new Set(seen).size, seen.length]).toEqual([50, 50]);
  expect(seen.some((id) => id.includes("new-"))).toBe(false);
  const { next_cursor } = (await customer.get(path)).body.data;
  const invalid = await customer.get(`${path}&cursor=${next_cursor}x`);
  expect([invalid.status, Object.keys(invalid.body.issues.fieldErrors)]).toEqual([422, ["cursor"]]);
});

test("200 returns one post with its slide texts; 404 not_found for unknown posts", async () => {
  const slideshow = library.lines.find(({ slide_texts: texts }) => texts);
  const customer = await library.customer();
  const found = await customer.get(`/viral-library/${slideshow?.platform}_${slideshow?.id}`);
  expect([found.status, found.body.data.slide_texts]).toEqual([200, slideshow?.slide_texts]);
  for (const other of ["tiktok_nothing", "tiktok_%00"]) {
    const missing = await customer.get(`/viral-library/${other}`);
    expect([missing.status, missing.body.error_code]).toEqual([404, "not_found"]);
  }
});

test("200 returns a transcript; 404 transcript_not_found without transcript or post", async () => {
  const customer = await library.customer();
  const clip = library.lines.find(({ transcript }) => transcript);
  const id = `${clip?.platform}_${clip?.id}`;
  const { status, body } = await customer.get(`/viral-library/${id}/transcript`);
  expect(status).toBe(200);
  const segments = clip?.transcript?.segments ?? [];
  expect(body.data).toEqual({
    id,
    language: clip?.transcript?.language,
    text: segments.map(({ text }) => text).join(" "),
    segments,
  });
  const silent = library.lines.find(({ transcript }) => !transcript);
  for (const other of [`${silent?.platform}_${silent?.id}`, "tiktok_nothing", "tiktok_%00"]) {
    const response = await customer.get(`/viral-library/${other}/transcript`);
    expect([response.status, response.body.error_code]).toEqual([404, "transcript_not_found"]);
  }
});

test("a warm search takes 2 round trips, by meaning and on every page", async () => {
  const customer = await library.customer();
  async function trips(path: string) {
    const requestId = newId();
    const { result, cost } = await measureCost(requestId, () => customer.get(path, {}, { "X-Request-Id": requestId }));
    expect(result.status).toBe(200);
    return cost.round_trips;
  }
  const one = "/viral-library?q=stomach+indigestion&category=health&content_type=mixed&limit=40";
  await trips(one);
  expect(await trips(one)).toBe(2);
  // When more pages follow, the results are cached after the response; this call is counted too.
  const many = "/viral-library?q=stomach+indigestion&limit=2";
  expect(await trips(many)).toBe(3);
  expect(await trips(`${many}&offset=2`)).toBe(2);
});

test("503 for q without an embedding model; searches without q still work", async () => {
  const customer = await library.customer();
  const none = { EMBEDDINGS_URL: undefined };
  const response = await customer.get("/viral-library?q=anything", none);
  expect([response.status, response.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect(response.body.retry_after_seconds).toBeGreaterThan(0);
  expect((await customer.get("/viral-library?limit=1", none)).status).toBe(200);
});
