// Rows of the two modes never meet: every operation with a key of one mode and the ids of the other.
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { endpoints, headersFor, readAll, reads } from "../support/requests.ts";
import { stopClock } from "../support/stop-clock.ts";
import { createTestMode } from "../support/test-mode.ts";
import { createRecords, type Records } from "./records.ts";

type Operation = (typeof endpoints)[number];
type Mode = "live" | "test";

const tenants = {} as Record<Mode, Tenant>;
const records = {} as Record<Mode, Records>;
const other: Record<Mode, Mode> = { live: "test", test: "live" };
/** The answers to live keys before the test mode had anything. */
let before: Record<string, unknown>;

beforeAll(async () => {
  tenants.live = await createTestTenant();
  const account = await createTestAccount(tenants.live, "threads", { facts: { posts: 3 } });
  records.live = await createRecords(tenants.live, account);
  before = await readAll(tenants.live.api);
  const mode = await createTestMode(tenants.live);
  tenants.test = mode;
  const virtual = virtualAccounts(mode.scopeId).find(({ platform }) => platform === "threads");
  records.test = await createRecords(mode, virtual ?? { id: "", username: "" });
}, 120_000);

test.each(reads)(
  "$id of a live key is the same before and after test mode has records",
  async ({ id, path, query }) => {
    const { body } = await tenants.live.api.get(path + query);
    expect(body.data).toEqual(before[id]);
  },
);

test.each(reads)("$id of a key of one mode names nothing of the other", async ({ path, query }) => {
  for (const mode of ["live", "test"] as const) {
    const text = JSON.stringify((await tenants[mode].api.get(path + query)).body);
    for (const [noun, id] of Object.entries(records[other[mode]]))
      expect([noun, text.includes(id)]).toEqual([noun, false]);
  }
});

test("each mode lists its own: posts with their counts, events with the mode, accounts", async () => {
  for (const mode of ["live", "test"] as const) {
    const { api } = tenants[mode];
    const { posts, summary } = (await api.get("/posts")).body.data;
    expect(posts.map(({ id }: { id: string }) => id).sort()).toEqual([records[mode].post, records[mode].draft].sort());
    expect(summary.total).toBe(2);
    const { events } = (await api.get("/events?limit=200")).body.data;
    expect(new Set(events.map((event: { mode: string }) => event.mode))).toEqual(new Set([mode]));
    expect(events.map(({ type }: { type: string }) => type)).toContain("post.scheduled");
  }
  const { accounts } = (await tenants.test.api.get("/accounts")).body.data;
  expect(accounts.map(({ id }: { id: string }) => id).sort()).toEqual(
    virtualAccounts(at([tenants.test.workspaceId], 0) ?? "")
      .map(({ id }) => id)
      .sort(),
  );
});

const withIds = endpoints.flatMap((operation) => {
  const nouns = Object.values(operation.spec.params ?? {}) as string[];
  // The library is shared, and requests are those of a key.
  const isShared = operation.spec.auth === "public" || /^(viral-library|requests)\./.test(operation.id);
  return isShared || nouns.length === 0 ? [] : [{ ...operation, nouns }];
});

function fillPath({ path, spec }: Operation, ids: Records): string {
  return Object.entries(spec.params as Record<string, string>).reduce(
    (filled, [name, noun]) => filled.replace(`{${name}}`, noun === "slide" ? "0" : (ids[noun] ?? "")),
    path,
  );
}

describe.each(withIds)("$id", (operation) => {
  const { spec, method, body, nouns } = operation;

  test.each(["live", "test"] as const)(
    "404 for a %s key with ids of the other mode, whose rows stay as they are",
    async (mode) => {
      const ids = records[other[mode]];
      for (const noun of nouns) expect(["slide", ...Object.keys(ids)]).toContain(noun);
      const state = await readRows(other[mode]);
      const response = await tenants[mode].api.call(method, fillPath(operation, ids), {
        body,
        headers: headersFor(spec),
      });
      expect([response.status, response.body.error_code]).toEqual([404, expect.stringMatching(/not_found$/)]);
      expect(await readRows(other[mode])).toEqual(state);
      if (method !== "GET") return;
      expect((await tenants[other[mode]].api.get(fillPath(operation, ids))).status).not.toBe(404);
    },
  );
});

const readRows = (mode: Mode) =>
  queryRows(sql`
    select to_jsonb(a) as row from accounts a where scope_id = ${tenants[mode].workspaceId}
    union all select to_jsonb(p) from posts p where scope_id = ${tenants[mode].workspaceId}
    union all select to_jsonb(w) from webhooks w where scope_id = ${tenants[mode].workspaceId}
    union all select to_jsonb(s) from slideshows s where scope_id = ${tenants[mode].workspaceId}
    union all select to_jsonb(f) from files f where scope_id = ${tenants[mode].workspaceId}`);

test("400 unknown_accounts for accounts of the other mode in a body", async () => {
  for (const mode of ["live", "test"] as const) {
    const accounts = [{ id: records[other[mode]].account }];
    for (const path of ["/posts", "/posts/prepare"]) {
      const { status, body } = await tenants[mode].api.post(path, { caption: "Tea", accounts });
      expect([status, body.error_code]).toEqual([400, "unknown_accounts"]);
    }
  }
});

test("a public pack of test mode stays in it; public packs of live mode are shared", async () => {
  const create = async (mode: Mode) =>
    (await tenants[mode].api.post("/packs", { name: `Public ${mode}`, is_public: true })).body.data.id as string;
  const [live, own] = [await create("live"), await create("test")];
  const stranger = await createTestTenant();
  expect((await stranger.api.get(`/packs/${live}`)).status).toBe(200);
  expect((await tenants.test.api.get(`/packs/${live}`)).status).toBe(200);
  expect((await tenants.test.api.get(`/packs/${own}`)).status).toBe(200);
  for (const api of [tenants.live.api, stranger.api]) {
    expect((await api.get(`/packs/${own}`)).status).toBe(404);
    const { packs } = (await api.get("/packs?include_public=true&limit=100")).body.data;
    expect(packs.map(({ id }: { id: string }) => id)).not.toContain(own);
  }
});

test("a personal key has a test mode too, with the plan of the person", async () => {
  const personal = await createTestTenant({ personal: true });
  const mode = await createTestMode(personal);
  expect((await mode.api.get("/accounts")).status).toBe(200);
  const unpaid = await createTestMode(await createTestTenant({ plan: null }));
  expect((await unpaid.api.get("/accounts")).body.error_code).toBe("subscription_required");
});

test.each([true, false])("test mode begins with the time zone of its live scope (personal: %s)", async (personal) => {
  const live = await createTestTenant({ personal });
  await live.api.patch("/workspace", { time_zone: "Europe/Berlin" });
  const mode = await createTestMode(live);
  expect((await mode.api.get("/workspace")).body.data.time_zone).toBe("Europe/Berlin");
});

test("403 test_key_required for a live key", async () => {
  for (const [path, body] of [
    ["/sandbox/advance", { seconds: 1 }],
    ["/sandbox/reset", undefined],
  ] as const) {
    const response = await tenants.live.api.post(path, body);
    expect([response.status, response.body.error_code]).toEqual([403, "test_key_required"]);
  }
});

test("the limits of the two modes are counted apart", async () => {
  stopClock();
  const remaining = async (mode: Mode) => {
    const { headers } = await tenants[mode].api.post("/posts/prepare", {
      caption: "a",
      accounts: [{ id: records[mode].account }],
    });
    return Number(/"post_checks";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  };
  const first = await remaining("live");
  for (let count = 0; count < 3; count++) await remaining("test");
  expect(await remaining("live")).toBe(first - 1);
});
