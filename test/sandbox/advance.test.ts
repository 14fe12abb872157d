// The clock of test mode: what falls due runs in order, once, at its own time.
import { beforeAll, expect, test } from "vitest";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { createTestTenant } from "../support/harness.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";
import { createSimulator, type SimulatorCall } from "./simulator.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
let mode: TestMode;
const calls: SimulatorCall[] = [];
const env = { SIMULATOR: createSimulator(calls) };

beforeAll(async () => {
  mode = await createTestMode(await createTestTenant());
});

const findAccount = (platform: string) => {
  const found = virtualAccounts(mode.scopeId).find((account) => account.platform === platform);
  if (!found) throw new Error(`no account of ${platform}`);
  return { id: found.id };
};
const post = (path: string, body: unknown) => mode.api.call("POST", path, { body, env });

test("200 scheduled posts are published at their own times, in order", async () => {
  const start = Date.now();
  const create = async (days: number) => {
    const scheduled_at = new Date(start + days * DAY_MS).toISOString();
    const { status, body } = await post("/posts", {
      caption: `Day ${days}`,
      accounts: [findAccount("threads")],
      scheduled_at,
    });
    expect([status, body.message]).toEqual([201, expect.any(String)]);
    return body.data.id as string;
  };
  const late = await create(3);
  const early = await create(1);
  const to = new Date(start + 4 * DAY_MS).toISOString();
  const { status, body } = await post("/sandbox/advance", { to });
  expect(body).toMatchObject({ ok: true, data: { now: to, more: false } });
  expect(status).toBe(200);
  const posts = body.data.ran
    .filter(({ what }: { what: string }) => what === "post")
    .map(({ id }: { id: string }) => id);
  expect([...new Set(posts)]).toEqual([early, late]);
  const read = await mode.api.get(`/posts/${late}`, { env });
  expect(read.body.data).toMatchObject({ status: "posted" });
});
