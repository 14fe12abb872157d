// Limits of the changes of test mode: how far its clock may be ahead, and how many a minute has.
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { consumeRateLimits, POLICIES } from "../../lib/http/rate-limits.ts";
import { openServices } from "../../lib/services/context.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { createBindings, createTestTenant, queryRows } from "../support/harness.ts";
import { stopClock } from "../support/stop-clock.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";

let mode: TestMode;

beforeEach(async () => {
  mode = await createTestMode(await createTestTenant());
});

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

test("422 invalid_payload beyond ten years ahead of real time, in all, and the clock can still be moved", async () => {
  await queryRows(sql`update sandboxes set clock_offset_ms = ${3_651 * DAY_MS} where scope_id = ${mode.scopeId}`);
  for (const [field, body] of [
    ["seconds", { seconds: 2 * 86_400 }],
    ["to", { to: inMs(3_653 * DAY_MS) }],
  ] as const) {
    const { status, body: answer } = await mode.api.post("/sandbox/advance", body);
    expect([status, answer.error_code, Object.keys(answer.issues.fieldErrors)]).toEqual([
      422,
      "invalid_payload",
      [field],
    ]);
    expect(answer.message).toContain("at most 3652 days ahead of real time");
  }
  const { body } = await mode.api.post("/sandbox/advance", { seconds: 3_600 });
  expect(Date.parse(body.data.now)).toBeGreaterThan(Date.now() + 3_651 * DAY_MS);
});

test("429 rate_limited after as many changes as the minute has, with the headers, and the other mode has its own", async () => {
  stopClock();
  const name = "sandbox_changes";
  const { quota } = POLICIES[name];
  const { redis } = openServices(createBindings([]), "consume", () => undefined);
  const first = await mode.api.post("/sandbox/advance", { seconds: 1 });
  expect(first.headers.get("ratelimit-policy")).toBe(`"${name}";q=${quota};w=60`);
  await consumeRateLimits(redis, [name], mode.scopeId, new Date(), { [name]: quota });
  for (const [path, body] of [
    ["/sandbox/advance", { seconds: 1 }],
    ["/sandbox/reset", {}],
  ] as const) {
    const { status, headers, body: answer } = await mode.api.post(path, body);
    expect([path, status, answer.ok, answer.error_code]).toEqual([path, 429, false, "rate_limited"]);
    expect(answer.message).toContain(`"${name}" of ${quota} per 60 s`);
    expect(headers.get("retry-after")).toBe(String(answer.retry_after_seconds));
    expect(headers.get("ratelimit")).toContain(`"${name}";r=0;`);
  }
  const other = await createTestMode(await createTestTenant());
  expect((await other.api.post("/sandbox/advance", { seconds: 1 })).status).toBe(200);
});
