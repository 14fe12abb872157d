// GET /trends/brief: what it finds, what it computes from that, and how rarely it computes.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { openWorld } from "../../lib/call.ts";
import { sha256Hex } from "../../lib/secrets.ts";
import { bindings, database, mintTenant } from "../harness.ts";
import { costOf } from "../measure.ts";
import { storeVideos, video } from "./videos.ts";

/** A word that no other test and no seed has. */
const newWord = () => `w${newId().replaceAll("-", "")}`;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

async function ask(query: Record<string, string>) {
  const { api } = await mintTenant();
  return api.get(`/trends/brief?${new URLSearchParams(query)}`);
}

test("422 invalid_query for an unsupported platform, a missing or empty keyword, and limits and ranges out of bounds", async () => {
  const { api } = await mintTenant();
  const cases: [string, string][] = [
    ["keyword=a&platform=instagram", "platform"],
    ["", "keyword"],
    ["keyword=%20%23%20", "keyword"],
    ["keyword=a&keyword=b", "keyword"],
    [`keyword=${"a".repeat(101)}`, "keyword"],
    ["keyword=a%00b", "keyword"],
    ["keyword=a&limit=0", "limit"],
    ["keyword=a&limit=31", "limit"],
    ["keyword=a&limit=many", "limit"],
    ["keyword=a&range=1y", "range"],
  ];
  for (const [query, field] of cases) {
    const answer = await api.get(`/trends/brief?${query}`);
    expect([query, answer.status, answer.body.error_code]).toEqual([query, 422, "invalid_query"]);
    expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([field]);
  }
});

test("200 finds the keyword in caption, hashtags and sound, and leaves louder unrelated videos out", async () => {
  const word = newWord();
  await storeVideos(database(), [
    video({
      video_id: `${word}-1`,
      caption: `All about ${word.toUpperCase()}!`,
      views: 500,
      published_at: hoursAgo(1),
    }),
    video({ video_id: `${word}-2`, hashtags: [`#${word}`], views: 300, published_at: hoursAgo(2) }),
    video({ video_id: `${word}-3`, sound_id: "s", sound_name: `${word} remix`, views: 200, published_at: hoursAgo(3) }),
    video({ video_id: `${word}-4`, caption: "unrelated", views: 90_000_000, published_at: hoursAgo(1) }),
    video({ video_id: `${word}-5`, caption: `${word} long ago`, views: 800, published_at: hoursAgo(8 * 24) }),
  ]);
  const answer = await ask({ keyword: `  #${word.toUpperCase()} ` });
  expect(answer.status).toBe(200);
  const { data } = answer.body;
  expect(data).toMatchObject({ platform: "tiktok", keyword: word, range: "7d" });
  expect(data.summary.analyzed_video_count).toBe(3);
  expect(data.evidence.sample_videos.map((sample: { video_id: string }) => sample.video_id)).toEqual([
    `${word}-1`,
    `${word}-2`,
    `${word}-3`,
  ]);
});

test("200 two words match in any order, and joined as a hashtag", async () => {
  const [a, b] = [newWord(), newWord()];
  await storeVideos(database(), [
    video({ caption: `${b} then ${a}` }),
    video({ hashtags: [`${a}${b}`] }),
    video({ caption: `${a} alone` }),
  ]);
  const answer = await ask({ keyword: `${a}   ${b}` });
  expect(answer.body.data.keyword).toBe(`${a} ${b}`);
  expect(answer.body.data.summary.analyzed_video_count).toBe(2);
});

test("200 a word is found beside a slash, a full stop without a space, and in angle brackets", async () => {
  const word = newWord();
  const captions = [`${word}/matcha`, `we love ${word}.try it`, `so <${word}>`, `matcha\uff0f${word}`, `${word}@home`];
  await storeVideos(
    database(),
    [...captions, `not${word}`].map((caption) => video({ caption })),
  );
  for (const keyword of [word, `${word}.`, `/${word}`]) {
    expect((await ask({ keyword })).body.data.summary.analyzed_video_count).toBe(captions.length);
  }
  const { keyword, summary } = (await ask({ keyword: "./\\" })).body.data;
  expect([keyword, summary.analyzed_video_count]).toEqual(["./\\", expect.any(Number)]);
});

test("200 a keyword of a script without spaces is found inside a caption", async () => {
  const word = `護膚${newWord()}`;
  await storeVideos(database(), [video({ caption: `今天的${word}日記` })]);
  const answer = await ask({ keyword: word });
  expect(answer.body.data.summary.analyzed_video_count).toBe(1);
});

test("200 a Korean word is found before its particle, and an emoji wherever it stands", async () => {
  const word = `커피${newWord()}`;
  await storeVideos(database(), [
    video({ caption: `오늘의 ${word}를 마셔요` }),
    video({ caption: "cosy \u{1fad6}evening" }),
  ]);
  for (const keyword of [word, "\u{1fad6}"]) {
    expect((await ask({ keyword })).body.data.summary.analyzed_video_count).toBe(1);
  }
});

test("200 computes hashtags, sounds, creators, windows and recommendations from the matches", async () => {
  const word = newWord();
  // A Sunday in UTC, at most 30 days back.
  const sunday = new Date();
  sunday.setUTCDate(sunday.getUTCDate() - sunday.getUTCDay() - 7);
  sunday.setUTCHours(18, 30, 0, 0);
  const at = sunday.toISOString();
  const sound = { sound_id: `snd-${word}`, sound_name: "Loop", sound_sample_url: "https://sounds.example/1.mp3" };
  await storeVideos(database(), [
    video({
      caption: `How to ${word}`,
      hashtags: [word, "Two"],
      views: 100,
      author_handle: "@ann",
      published_at: at,
      ...sound,
    }),
    video({
      caption: `how to keep ${word}`,
      hashtags: [word],
      views: 301,
      author_handle: "ann",
      published_at: at,
      ...sound,
    }),
    video({ caption: `Is ${word} real?`, hashtags: [word], views: 200, author_handle: "bob", published_at: at }),
  ]);
  const { data } = (await ask({ keyword: word, range: "30d", limit: "1" })).body;
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

test("200 limit changes the number of samples and nothing else, also from the cache", async () => {
  const word = newWord();
  await storeVideos(
    database(),
    Array.from({ length: 35 }, (_, at) => video({ caption: `${word} ${at}`, views: at })),
  );
  const whole = (await ask({ keyword: word, limit: "30" })).body.data;
  const few = (await ask({ keyword: word, limit: "2" })).body.data;
  const usual = (await ask({ keyword: word })).body.data;
  expect([whole, few, usual].map(({ evidence }) => evidence.sample_videos.length)).toEqual([30, 2, 10]);
  expect(few.summary).toEqual(whole.summary);
  expect(few.generated_at).toBe(whole.generated_at);
  expect(whole.evidence.sample_videos[0].views).toBe(34);
});

test("200 is cached per platform, keyword and range: what arrives later shows elsewhere only", async () => {
  const word = newWord();
  await storeVideos(database(), [video({ caption: word })]);
  expect((await ask({ keyword: word })).body.data.summary.analyzed_video_count).toBe(1);
  await storeVideos(database(), [video({ caption: word })]);
  expect((await ask({ keyword: word })).body.data.summary.analyzed_video_count).toBe(1);
  expect((await ask({ keyword: word, range: "24h" })).body.data.summary.analyzed_video_count).toBe(2);
});

test("parallel misses compute once", async () => {
  const word = newWord();
  await storeVideos(database(), [video({ caption: word })]);
  const tenants = await Promise.all(Array.from({ length: 12 }, () => mintTenant()));
  const answers = await Promise.all(tenants.map(({ api }) => api.get(`/trends/brief?keyword=${word}`)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.data.generated_at)).size).toBe(1);
});

test("a brief from the cache is 1 round trip", async () => {
  const { api } = await mintTenant();
  const path = `/trends/brief?keyword=${newWord()}`;
  expect((await api.get(path)).status).toBe(200);
  const requestId = newId();
  const { result, cost } = await costOf(requestId, () =>
    api.call("GET", path, { headers: { "X-Request-Id": requestId } }),
  );
  expect([result.status, cost.round_trips]).toEqual([200, 1]);
});

test("200 without a cache: a Redis that is away costs time, not the brief", async () => {
  const word = newWord();
  await storeVideos(database(), [video({ caption: word })]);
  const { api } = await mintTenant();
  const env = { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9" };
  const answer = await api.call("GET", `/trends/brief?keyword=${word}`, { env });
  expect([answer.status, answer.body.data?.summary.analyzed_video_count]).toEqual([200, 1]);
});

test("503 lets go of the brief that it could not make, so that nobody waits for it", async () => {
  const word = newWord();
  const { api } = await mintTenant();
  const env = { DATABASE_FETCH_URL: "http://127.0.0.1:9/sql" };
  expect((await api.call("GET", `/trends/brief?keyword=${word}`, { env })).status).toBe(503);
  const { redis } = openWorld(bindings([]), newId(), () => undefined);
  expect(await redis.exists(`brief:tiktok:7d:${sha256Hex(word)}:filling`)).toBe(0);
  expect((await api.get(`/trends/brief?keyword=${word}`)).status).toBe(200);
});
