// The local Redis with the production clients: Upstash's SDK and its rate limiter.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ratelimit } from "@upstash/ratelimit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { type Redis as LocalRedis, startRedis } from "./redis.ts";
import { connectRedis } from "./redis-client.ts";

const calls = createCallCounter();
let local: LocalRedis;
const connect = () => connectRedis(local.url, local.token);

beforeAll(async () => {
  local = await startRedis({ calls, token: "secret" });
});

beforeEach(async () => {
  await connect().flushall();
  calls.reset();
});

afterAll(() => local.close());

const post = (path: string, body: unknown, headers: Record<string, string>) =>
  fetch(`${local.url}${path}`, { method: "POST", body: JSON.stringify(body), headers });

const bearer = { authorization: "Bearer secret" };

test("values are read as they were written", async () => {
  const redis = connect();
  await redis.set("object", { a: [1, "zwölf", null] });
  await redis.hset("hash", { a: "x", b: 2 });
  await redis.rpush("list", "OK", "b");
  expect(await redis.get("object")).toEqual({ a: [1, "zwölf", null] });
  expect(await redis.hgetall("hash")).toEqual({ a: "x", b: 2 });
  expect(await redis.lrange("list", 0, -1)).toEqual(["OK", "b"]);
  expect(await redis.get("absent")).toBeNull();
  expect(await redis.incr("count")).toBe(1);
});

test("SET with NX and PX keeps the first value until it expires", async () => {
  const redis = connect();
  expect(await redis.set("lock", "a", { nx: true, px: 60_000 })).toBe("OK");
  expect(await redis.set("lock", "b", { nx: true, px: 60_000 })).toBeNull();
  expect(await redis.pttl("lock")).toBeGreaterThan(0);
  await redis.pexpire("lock", 20);
  await expect.poll(() => redis.get("lock")).toBeNull();
});

test("a script runs with its keys and arguments", async () => {
  const script = "redis.call('SET', KEYS[1], ARGV[1]) return {redis.call('GET', KEYS[1]), 7, false}";
  expect(await connect().eval(script, ["k"], ["v"])).toEqual(["v", 7, null]);
});

test("a script with Upstash's own flag can be called by the hash of the original", async () => {
  const redis = connect();
  const sha = "0ff6cb35dbb4c57f03b13d3b4a0e3b7c9bd2a0e1";
  await expect(redis.evalsha(sha, [], [])).rejects.toThrow("NOSCRIPT");
  const script = redis.createScript<number>("#!lua flags=allow-key-locking\nreturn 41 + ARGV[1]");
  expect(await script.exec([], ["1"])).toBe(42);
  calls.reset();
  expect(await script.exec([], ["2"])).toBe(43);
  expect(calls.report(null).redis).toBe(1);
});

test("a rejected command returns an error with the reason", async () => {
  await expect(
    connect()
      .incr("a")
      .then(() => connect().lpush("a", 1)),
  ).rejects.toThrow("WRONGTYPE");
});

test("commands of one tick are sent in one pipeline, reads and writes, and fail separately", async () => {
  const redis = connect();
  await redis.set("text", "x");
  calls.reset();
  const [set, failed, got] = await Promise.allSettled([redis.set("a", 1), redis.incr("text"), redis.get("a")]);
  expect([set.status, failed.status, got.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  // The SDK sends two parallel requests, one with the writes and one with the reads.
  expect(calls.report(null).redis).toBe(2);
});

test("a transaction returns the results of all commands", async () => {
  const transaction = connect().multi().set("a", 1).incr("a").get<number>("a");
  expect(await transaction.exec()).toEqual(["OK", 2, 2]);
});

test("a transaction with a malformed command changes nothing", async () => {
  const response = await post("/multi-exec", [["SET", "a", "1"], ["NOSUCH"]], bearer);
  expect([response.status, await response.json()]).toEqual([400, { error: expect.stringContaining("EXECABORT") }]);
  expect(await connect().get("a")).toBeNull();
});

test("without the encoding header values are plain text", async () => {
  const response = await post("/pipeline", [["SET", "a", "ü"], ["GET", "a"], ["MGET", "a", "b"], ["NOSUCH"]], bearer);
  expect(await response.json()).toMatchObject([
    { result: "OK" },
    { result: "ü" },
    { result: ["ü", null] },
    { error: expect.stringContaining("unknown command") },
  ]);
});

test("401 without the token, 400 for an invalid command", async () => {
  expect((await post("/", ["GET", "a"], {})).status).toBe(401);
  expect((await post("/", ["GET", "a"], { authorization: "Bearer other" })).status).toBe(401);
  expect((await post("/", { get: "a" }, bearer)).status).toBe(400);
  expect((await post("/", ["MULTI"], bearer)).status).toBe(400);
});

test.for([
  ["sliding window", Ratelimit.slidingWindow(2, "1 m")],
  ["fixed window", Ratelimit.fixedWindow(2, "1 m")],
  ["token bucket", Ratelimit.tokenBucket(2, "1 m", 2)],
] as const)("the %s allows exactly the limit", async ([name, limiter]) => {
  const limit = new Ratelimit({ redis: connect(), limiter, prefix: name, ephemeralCache: false });
  const results = [await limit.limit("k"), await limit.limit("k"), await limit.limit("k"), await limit.limit("other")];
  expect(results.map((result) => result.success)).toEqual([true, true, false, true]);
  expect(results.map((result) => result.remaining)).toEqual([1, 0, 0, 1]);
  expect((await limit.getRemaining("other")).remaining).toBe(1);
  await limit.resetUsedTokens("k");
  expect((await limit.limit("k")).success).toBe(true);
});

test("calls are counted by request id", async () => {
  await post("/pipeline", [["PING"], ["PING"]], { ...bearer, "x-request-id": "req_1" });
  expect(calls.report()).toMatchObject({ request_id: "req_1", redis: 1, round_trips: 1 });
});

test("a stopped Redis drops connections and recovers", async () => {
  calls.stop("redis", 60_000);
  await expect(connect().ping()).rejects.toThrow();
  calls.stop("redis", 1);
  await expect
    .poll(() =>
      connect()
        .ping()
        .catch(() => null),
    )
    .toBe("PONG");
});

test("keys and their expiry survive a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const options = { calls, token: "t", file: join(folder, "redis.json") };
  const first = await startRedis(options);
  const before = connectRedis(first.url, "t");
  await Promise.all([
    before.set("a", "1", { px: 60_000 }),
    before.hset("h", { x: "y" }),
    before.zadd("z", { score: 1.5, member: "m" }),
  ]);
  await first.close();
  const second = await startRedis(options);
  const after = connectRedis(second.url, "t");
  expect(await after.get("a")).toBe(1);
  expect(await after.pttl("a")).toBeGreaterThan(50_000);
  expect(await after.ttl("h")).toBe(-1);
  expect([await after.hgetall("h"), await after.zscore("z", "m")]).toEqual([{ x: "y" }, 1.5]);
  await second.close();
  rmSync(folder, { recursive: true });
});

test("a server that cannot be reached is named when the stack starts", async () => {
  const starting = startRedis({ calls, token: "secret", redisUrl: "redis://127.0.0.1:1/9" });
  await expect(starting).rejects.toThrow("Redis at 127.0.0.1:1, database 9, cannot be used.");
});
