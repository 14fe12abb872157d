// YouTube's uploads per day belong to the whole service: they are shared between customers.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { getQuotaDay, reserveDailyUpload } from "../../lib/publishing/daily-uploads.ts";
import type { ClaimedDelivery } from "../../lib/queries/deliveries.ts";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import { createTestAccount, createTestPublisher, createTestTenant, queryRows } from "../support/harness.ts";

test("the day of the quota begins at midnight in Los Angeles", () => {
  const winter = new Date("2026-11-23T08:00:00.250Z");
  expect(getQuotaDay(winter)).toMatchObject({ name: "2026-11-23", from: new Date("2026-11-23T08:00:00Z") });
  expect(getQuotaDay(new Date(winter.getTime() - 1_000)).name).toBe("2026-11-22");
  const summer = getQuotaDay(new Date("2026-07-01T12:34:56Z"));
  expect(summer).toEqual({
    name: "2026-07-01",
    from: new Date("2026-07-01T07:00:00Z"),
    to: new Date("2026-07-02T07:00:00Z"),
  });
});

/** A day of its own per test, because the counts are shared. */
function openDay(date: string, hour: number) {
  const start = new Date(new Date(`${date}T08:00:00Z`).getTime() + hour * HOUR_MS);
  const { services, advance } = createTestPublisher(start);
  const limited = { ...services, env: { ...services.env, YOUTUBE_UPLOADS_PER_DAY: 10 } };
  const reserve = (scopeId: string, platform = "youtube", type = "byo") =>
    reserveDailyUpload(limited, { account: { platform, type, app: null }, scopeId } as ClaimedDelivery).then(
      () => "reserved",
      (error: { failure: { code: string; retryAt: Date } }) => error.failure,
    );
  return { reserve, advance };
}

async function reserveUntilRejected(reserve: (scopeId: string) => Promise<unknown>, scopeId: string) {
  for (let reserved = 0; reserved < 100; reserved++) {
    const outcome = await reserve(scopeId);
    if (outcome !== "reserved") return { reserved, outcome };
  }
  throw new Error("never rejected");
}

test("one customer leaves room for another, uses the rest as the day passes, and no upload exceeds the limit", async () => {
  const { reserve, advance } = openDay("2031-01-06", 1);
  const [first, second] = [newId(), newId()];
  const alone = await reserveUntilRejected(reserve, first);
  expect(alone).toMatchObject({ reserved: 5, outcome: { class: "rate_limited", code: "daily_uploads_used" } });
  expect((await reserveUntilRejected(reserve, second)).reserved).toBe(4);
  advance(21 * HOUR_MS);
  expect(await reserve(first)).toBe("reserved");
  expect(await reserve(second)).toMatchObject({
    message: expect.stringContaining("limit of 10 uploads"),
    retryAt: new Date("2031-01-07T08:00:00Z"),
  });
  advance(3 * HOUR_MS);
  expect(await reserve(second)).toBe("reserved");
});

test("accounts of other networks and hosted accounts are not counted", async () => {
  const { reserve } = openDay("2031-01-09", 0);
  const scope = newId();
  for (let upload = 0; upload < 20; upload++) {
    expect(await reserve(scope, "tiktok")).toBe("reserved");
    expect(await reserve(scope, "youtube", "hosted")).toBe("reserved");
  }
});

test("a post on a day whose uploads are all planned has a warning, also when they are another customer's", async () => {
  const [crowd, tenant] = [await createTestTenant(), await createTestTenant()];
  const [other, account] = [await createTestAccount(crowd, "youtube"), await createTestAccount(tenant, "youtube")];
  const body = (id: string, scheduled_at: string) => ({
    caption: "hello",
    accounts: [{ id }],
    media: { type: "video", url: "https://media.example.com/a.mp4" },
    settings: { youtube: { title: "A clip" } },
    scheduled_at,
  });
  const draft = await crowd.api.post("/posts/prepare", body(other.id, "2032-03-10T20:00:00Z"));
  expect(draft.status).toBe(201);
  await queryRows(sql`
    with copied as (
      insert into posts (id, owner_id, workspace_id, caption, status, settings, metadata, payload_hash)
      select gen_random_uuid(), owner_id, workspace_id, caption, 'scheduled', settings, metadata, payload_hash
      from posts, generate_series(1, 100) where id = ${draft.body.data.id} returning id
    )
    insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at)
    select gen_random_uuid(), id, ${other.id}, 0, 'scheduled', '2032-03-10T20:00:00Z', '2032-03-10T20:00:00Z',
      '2032-03-11T20:00:00Z' from copied returning id`);
  const warnings = async (scheduled_at: string) => {
    const answer = await tenant.api.post("/posts/prepare", body(account.id, scheduled_at));
    expect(answer.status).toBe(201);
    return (answer.body.data.warnings as { code: string }[]).map(({ code }) => code);
  };
  expect(await warnings("2032-03-11T07:00:00Z")).toContain("daily_uploads_planned");
  expect(await warnings("2032-03-11T09:00:00Z")).not.toContain("daily_uploads_planned");
});
