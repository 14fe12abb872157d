// The rate limits of the viral library: consumption, headers, and unavailability of the limiter.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Library, openLibrary } from "./library.ts";

let library: Library;
beforeAll(async () => {
  library = await openLibrary(24);
});
afterAll(() => library.close());

/** A year per test, so that tests do not share the windows of the shared limits. */
let year = 2100;
beforeEach(() => {
  year += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(`${year}-03-10T10:00:05.000Z`) });
});
afterEach(() => {
  vi.useRealTimers();
});

const advanceClock = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

test("429 for 30 of 50 parallel searches; all 50 consume their limit of the daily results", async () => {
  const customer = await library.customer();
  await customer.get("/viral-library/nothing");
  const responses = await Promise.all(Array.from({ length: 50 }, () => customer.get("/viral-library?limit=7")));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
  const rejected = responses.filter(({ status }) => status === 429);
  expect(rejected).toHaveLength(30);
  for (const { body, headers } of rejected) {
    expect(body.error_code).toBe("rate_limited");
    expect(headers.get("retry-after")).toBe(String(body.retry_after_seconds));
  }
  advanceClock(60);
  const next = await customer.get("/viral-library?limit=1");
  const left = /"viral_results_daily";r=(\d+)/.exec(next.headers.get("ratelimit") ?? "")?.[1];
  // Rejected searches consume the daily quota too.
  expect(Number(left)).toBe(2000 - 50 * 7 - 1);
  expect(next.headers.get("ratelimit-policy")).toBe(
    '"viral_searches";q=20;w=60, "viral_searches_daily";q=200;w=86400, "viral_results_daily";q=2000;w=86400, "viral_searches_shared";q=300;w=60',
  );
});

test("404 reports the remaining quota; errors before consumption report the policies", async () => {
  const customer = await library.customer();
  const missing = await customer.get("/viral-library/nothing");
  expect([missing.status, missing.headers.get("ratelimit")]).toEqual([
    404,
    expect.stringContaining('"viral_posts";r=59'),
  ]);
  const invalid = await customer.get("/viral-library?limit=0");
  expect(invalid.status).toBe(422);
  expect(invalid.headers.get("ratelimit-policy")).toContain('"viral_searches";q=20;w=60');
});

test("200 after waiting retry_after_seconds: per minute, daily results, daily searches", async () => {
  const customer = await library.customer();
  for (const [limit, times] of [
    [1, 21],
    [40, 60],
  ] as const) {
    let rejected = 0;
    for (let at = 0; at < times; at++) {
      const response = await customer.get(`/viral-library?limit=${limit}`);
      if (response.status === 200) continue;
      expect(response.status).toBe(429);
      rejected += 1;
      advanceClock(response.body.retry_after_seconds);
      expect((await customer.get(`/viral-library?limit=${limit}`)).status).toBe(200);
    }
    expect(rejected).toBeGreaterThan(0);
  }
});

test("200 consumes the requested number of daily results, not the returned number", async () => {
  const customer = await library.customer();
  for (let at = 0; at < 50; at++) {
    if (at % 20 === 0) advanceClock(60);
    expect((await customer.get("/viral-library?account=unknown&limit=40")).status).toBe(200);
  }
  advanceClock(60);
  const response = await customer.get("/viral-library?limit=1");
  expect([response.status, response.body.error_code]).toEqual([429, "rate_limited"]);
  expect(response.body.retry_after_seconds).toBeGreaterThan(60);
  expect(response.body.message).toContain("viral_results_daily");
});

test("429 when all callers together exceed 300 searches a minute", async () => {
  const customers = await Promise.all(Array.from({ length: 16 }, () => library.customer()));
  let answered = 0;
  for (const customer of customers) {
    const responses = await Promise.all(Array.from({ length: 20 }, () => customer.get("/viral-library?limit=1")));
    answered += responses.filter(({ status }) => status === 200).length;
  }
  expect(answered).toBe(300);
});

test("429 of one customer does not consume the shared limits", async () => {
  const [greedy, other] = [await library.customer(), await library.customer()];
  const responses = await Promise.all(Array.from({ length: 320 }, () => greedy.get("/viral-library?limit=1")));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
  const { status, headers } = await other.get("/viral-library?limit=1");
  expect([status, headers.get("ratelimit")]).toEqual([200, expect.stringContaining('"viral_searches_shared";r=279')]);
});

test("402 does not consume the shared limits", async () => {
  const [other, lapsed] = [await library.customer(), await library.customer()];
  const shared = async () => {
    const { headers } = await other.get("/viral-library/nothing");
    return Number(/_shared";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  };
  expect((await lapsed.get("/viral-library/nothing")).status).toBe(404);
  const newest = "select id from subscriptions order by id desc limit 1";
  await library.database.exec(`update subscriptions set status = 'canceled' where id = (${newest})`);
  const before = await shared();
  for (let time = 0; time < 5; time++) expect((await lapsed.get("/viral-library/nothing")).status).toBe(402);
  expect(await shared()).toBe(before - 1);
});

test("429 for posts and transcripts have separate limits: 60 and 30 a minute", async () => {
  const customer = await library.customer();
  const id = `${library.lines[0]?.platform}_${library.lines[0]?.id}`;
  const posts = await Promise.all(Array.from({ length: 61 }, () => customer.get(`/viral-library/${id}`)));
  expect(posts.filter(({ status }) => status === 200)).toHaveLength(60);
  const spoken = await Promise.all(Array.from({ length: 31 }, () => customer.get(`/viral-library/${id}/transcript`)));
  expect(spoken.filter(({ status }) => status === 429)).toHaveLength(1);
  expect((await customer.get("/viral-library?limit=1")).status).toBe(200);
});

test("503 provider_unavailable with retry_after_seconds when the limiter cannot be reached", async () => {
  const customer = await library.customer();
  for (const path of ["/viral-library", "/viral-library/x", "/viral-library/x/transcript"]) {
    const response = await customer.get(path, { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9" });
    expect([response.status, response.body.error_code]).toEqual([503, "provider_unavailable"]);
    expect(response.body.retry_after_seconds).toBeGreaterThan(0);
    expect(response.headers.get("retry-after")).toBe(String(response.body.retry_after_seconds));
  }
});
