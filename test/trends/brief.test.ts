// GET /trends/brief: matching, computation and caching.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { openServices } from "../../lib/services/context.ts";
import { sha256Hex } from "../../lib/shared/crypto.ts";
import { createBindings, createTestTenant, openTestDatabase } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { buildVideo, storeVideos } from "./factories.ts";

/** A unique word. */
const createKeyword = () => `w${newId().replaceAll("-", "")}`;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

async function requestBrief(query: Record<string, string>) {
  const { api } = await createTestTenant();
  return api.get(`/trends/brief?${new URLSearchParams(query)}`);
}

test("200 finds the keyword in caption, hashtags and sound, and ignores unrelated videos with more views", async () => {
  const word = createKeyword();
  await storeVideos(openTestDatabase(), [
    buildVideo({
      video_id: `${word}-1`,
      caption: `All about ${word.toUpperCase()}!`,
      views: 500,
      published_at: hoursAgo(1),
    }),
    buildVideo({ video_id: `${word}-2`, hashtags: [`#${word}`], views: 300, published_at: hoursAgo(2) }),
    buildVideo({
      video_id: `${word}-3`,
      sound_id: "s",
      sound_name: `${word} remix`,
      views: 200,
      published_at: hoursAgo(3),
    }),
    buildVideo({ video_id: `${word}-4`, caption: "unrelated", views: 90_000_000, published_at: hoursAgo(1) }),
    buildVideo({ video_id: `${word}-5`, caption: `${word} long ago`, views: 800, published_at: hoursAgo(8 * 24) }),
  ]);
  const response = await requestBrief({ keyword: `  #${word.toUpperCase()} ` });
  expect(response.status).toBe(200);
  const { data } = response.body;
  expect(data).toMatchObject({ platform: "tiktok", keyword: word, range: "7d" });
  expect(data.summary.analyzed_video_count).toBe(3);
  expect(data.evidence.sample_videos.map((sample: { video_id: string }) => sample.video_id)).toEqual([
    `${word}-1`,
    `${word}-2`,
    `${word}-3`,
  ]);
});

test("200 matches two words in any order and joined as a hashtag", async () => {
  const [a, b] = [createKeyword(), createKeyword()];
  await storeVideos(openTestDatabase(), [
    buildVideo({ caption: `${b} then ${a}` }),
    buildVideo({ hashtags: [`${a}${b}`] }),
    buildVideo({ caption: `${a} alone` }),
  ]);
  const response = await requestBrief({ keyword: `${a}   ${b}` });
  expect(response.body.data.keyword).toBe(`${a} ${b}`);
  expect(response.body.data.summary.analyzed_video_count).toBe(2);
});

test("200 with matched 0 and nothing invented for a keyword that no video has, although others are viewed more", async () => {
  const word = createKeyword();
  await storeVideos(openTestDatabase(), [
    buildVideo({ caption: "denim for everyone", hashtags: ["denim"], views: 90_000_000, published_at: hoursAgo(1) }),
    buildVideo({ caption: `${word} alone`, views: 50_000_000, published_at: hoursAgo(1) }),
  ]);
  const { status, body } = await requestBrief({ keyword: `${word} repair` });
  expect(status).toBe(200);
  const lists = { top_hashtags: [], top_sounds: [], top_creators: [], posting_windows_utc: [] };
  expect(body.data).toMatchObject({
    matched: 0,
    summary: { analyzed_video_count: 0, ...lists },
    recommendations: { hook_angles: [], hashtags: [], sounds: [] },
    evidence: { sample_videos: [] },
  });
});

test("200 broader videos follow the matches, are marked, and are not analyzed", async () => {
  const [a, b] = [createKeyword(), createKeyword()];
  const popular = { views: 70_000_000, hashtags: ["popular"], sound_id: `popular-${a}`, sound_name: "Popular" };
  await storeVideos(openTestDatabase(), [
    buildVideo({ video_id: `${a}-1`, caption: `how to ${a} ${b}`, hashtags: [a], views: 10 }),
    buildVideo({ video_id: `${a}-2`, caption: `stop ${a} now`, ...popular }),
    buildVideo({ video_id: `${a}-3`, caption: "neither", views: 90_000_000 }),
  ]);
  const { data } = (await requestBrief({ keyword: `${a} ${b}` })).body;
  const samples = data.evidence.sample_videos.map((one: { video_id: string; match: string }) => [
    one.video_id,
    one.match,
  ]);
  expect(samples).toEqual([
    [`${a}-1`, "keyword"],
    [`${a}-2`, "broader"],
  ]);
  expect([data.matched, data.summary.analyzed_video_count]).toEqual([1, 1]);
  expect([data.recommendations.hashtags, data.recommendations.sounds]).toEqual([[`#${a}`], []]);
  expect(data.recommendations.hook_angles).toEqual([expect.stringMatching(/how-to.*\(1 of the 1/)]);
});

test("200 finds a word next to a slash, a full stop or angle brackets", async () => {
  const word = createKeyword();
  const captions = [`${word}/matcha`, `we love ${word}.try it`, `so <${word}>`, `matcha\uff0f${word}`, `${word}@home`];
  await storeVideos(
    openTestDatabase(),
    [...captions, `not${word}`].map((caption) => buildVideo({ caption })),
  );
  for (const keyword of [word, `${word}.`, `/${word}`]) {
    expect((await requestBrief({ keyword })).body.data.summary.analyzed_video_count).toBe(captions.length);
  }
  const { keyword, summary } = (await requestBrief({ keyword: "./\\" })).body.data;
  expect([keyword, summary.analyzed_video_count]).toEqual(["./\\", expect.any(Number)]);
});

test("200 finds a keyword inside a caption in scripts without spaces", async () => {
  const word = `護膚${createKeyword()}`;
  await storeVideos(openTestDatabase(), [buildVideo({ caption: `今天的${word}日記` })]);
  const response = await requestBrief({ keyword: word });
  expect(response.body.data.summary.analyzed_video_count).toBe(1);
});

test("200 finds a Korean word with a particle, and an emoji anywhere", async () => {
  const word = `커피${createKeyword()}`;
  await storeVideos(openTestDatabase(), [
    buildVideo({ caption: `오늘의 ${word}를 마셔요` }),
    buildVideo({ caption: "cosy \u{1fad6}evening" }),
  ]);
  for (const keyword of [word, "\u{1fad6}"]) {
    expect((await requestBrief({ keyword })).body.data.summary.analyzed_video_count).toBe(1);
  }
});

test("200 computes hashtags, sounds, creators, windows and recommendations from the matches", async () => {
  const word = createKeyword();
  // A Sunday in UTC, at most 30 days back.
  const sunday = new Date();
  sunday.setUTCDate(sunday.getUTCDate() - sunday.getUTCDay() - 7);
  sunday.setUTCHours(18, 30, 0, 0);
  const at = sunday.toISOString();
  const sound = { sound_id: `snd-${word}`, sound_name: "Loop", sound_sample_url: "https://sounds.example/1.mp3" };
  await storeVideos(openTestDatabase(), [
    buildVideo({
      caption: `How to ${word}`,
      hashtags: [word, "Two"],
      views: 100,
      author_handle: "@ann",
      published_at: at,
      ...sound,
    }),
    buildVideo({
      caption: `how to keep ${word}`,
      hashtags: [word],
      views: 301,
      author_handle: "ann",
      published_at: at,
      ...sound,
    }),
    buildVideo({ caption: `Is ${word} real?`, hashtags: [word], views: 200, author_handle: "bob", published_at: at }),
  ]);
  const { data } = (await requestBrief({ keyword: word, range: "30d", limit: "1" })).body;
  expect(data.summary).toMatchObject({
    analyzed_video_count: 3,
    top_hashtags: [
      { hashtag: word, videos_count: 3, avg_views: 200 },
      { hashtag: "two", videos_count: 1, avg_views: 100 },
    ],
    top_sounds: [
      {
        sound_id: sound.sound_id,
        sound_name: "Loop",
        usage_count: 2,
        avg_views: 201,
        sample_url: sound.sound_sample_url,
      },
    ],
    posting_windows_utc: [{ day_of_week_utc: 0, hour_utc: 18, videos_count: 3, avg_views: 200 }],
  });
  expect(data.summary.top_creators).toMatchObject([
    { handle: "ann", videos_count: 2, total_views: 401, avg_views: 201 },
    { handle: "bob", videos_count: 1, total_views: 200, avg_views: 200 },
  ]);
  expect(data.summary.top_creators[0].top_video_url).toMatch(/^https:/);
  expect(data.recommendations.hashtags).toEqual([`#${word}`, "#two"]);
  expect(data.recommendations.sounds).toEqual([{ sound_id: sound.sound_id, sound_name: "Loop" }]);
  expect(data.recommendations.hook_angles[0]).toMatch(/how-to.*\(2 of the 3 strongest openings\)/);
  expect(data.recommendations.hook_angles[1]).toMatch(/question.*\(1 of the 3/);
  expect(data.evidence.sample_videos).toHaveLength(1);
});

test("200 limit changes only the number of samples, also from the cache", async () => {
  const word = createKeyword();
  await storeVideos(
    openTestDatabase(),
    Array.from({ length: 35 }, (_, at) => buildVideo({ caption: `${word} ${at}`, views: at })),
  );
  const whole = (await requestBrief({ keyword: word, limit: "30" })).body.data;
  const few = (await requestBrief({ keyword: word, limit: "2" })).body.data;
  const usual = (await requestBrief({ keyword: word })).body.data;
  expect([whole, few, usual].map(({ evidence }) => evidence.sample_videos.length)).toEqual([30, 2, 10]);
  expect(few.summary).toEqual(whole.summary);
  expect(few.generated_at).toBe(whole.generated_at);
  expect(whole.evidence.sample_videos[0].views).toBe(34);
});

test("200 is cached per platform, keyword and range", async () => {
  const word = createKeyword();
  await storeVideos(openTestDatabase(), [buildVideo({ caption: word })]);
  expect((await requestBrief({ keyword: word })).body.data.summary.analyzed_video_count).toBe(1);
  await storeVideos(openTestDatabase(), [buildVideo({ caption: word })]);
  expect((await requestBrief({ keyword: word })).body.data.summary.analyzed_video_count).toBe(1);
  expect((await requestBrief({ keyword: word, range: "24h" })).body.data.summary.analyzed_video_count).toBe(2);
});

test("200 parallel cache misses compute once", async () => {
  const word = createKeyword();
  await storeVideos(openTestDatabase(), [buildVideo({ caption: word })]);
  const tenants = await Promise.all(Array.from({ length: 12 }, () => createTestTenant()));
  const responses = await Promise.all(tenants.map(({ api }) => api.get(`/trends/brief?keyword=${word}`)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(new Set(responses.map(({ body }) => body.data.generated_at)).size).toBe(1);
});

test("a cached brief takes 1 round trip", async () => {
  const { api } = await createTestTenant();
  const path = `/trends/brief?keyword=${createKeyword()}`;
  expect((await api.get(path)).status).toBe(200);
  const requestId = newId();
  const { result, cost } = await measureCost(requestId, () =>
    api.call("GET", path, { headers: { "X-Request-Id": requestId } }),
  );
  expect([result.status, cost.round_trips]).toEqual([200, 1]);
});

test("200 computes the brief while Redis is unavailable", async () => {
  const word = createKeyword();
  await storeVideos(openTestDatabase(), [buildVideo({ caption: word })]);
  const { api } = await createTestTenant();
  const env = { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9" };
  const response = await api.call("GET", `/trends/brief?keyword=${word}`, { env });
  expect([response.status, response.body.data?.summary.analyzed_video_count]).toEqual([200, 1]);
});

test("503 releases the claim, so that other requests do not wait", async () => {
  const word = createKeyword();
  const { api } = await createTestTenant();
  const env = { DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };
  expect((await api.call("GET", `/trends/brief?keyword=${word}`, { env })).status).toBe(503);
  const { redis } = openServices(createBindings([]), newId(), () => undefined);
  expect(await redis.get(`brief:2:tiktok:7d:${sha256Hex(word)}:filling`)).toBeNull();
  expect((await api.get(`/trends/brief?keyword=${word}`)).status).toBe(200);
});
