// GET /accounts/{accountId}/options: what an account can choose from at its network.
import { randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { DEFAULT_BOARD_ID, DEFAULT_SECTIONS } from "../../lib/simulator/networks/pinterest-boards.ts";
import { DEFAULT_PLAYLISTS } from "../../lib/simulator/networks/youtube-playlists.ts";
import { callControl, createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { stopClock } from "../support/stop-clock.ts";

const read = (tenant: Tenant, id: string, query = "") => tenant.api.get(`/accounts/${id}/options${query}`);

async function open(
  platform: Parameters<typeof createTestAccount>[1],
  more: Parameters<typeof createTestAccount>[2] = {},
) {
  const tenant = await createTestTenant();
  return { tenant, account: await createTestAccount(tenant, platform, more) };
}

describe("pinterest", () => {
  test("200 lists boards by name, and the sections of one", async () => {
    const { tenant, account } = await open("pinterest");
    const { status, body } = await read(tenant, account.id);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      account_id: account.id,
      fetched_at: expect.stringMatching(/Z$/),
      options: { boards: [{ id: DEFAULT_BOARD_ID, name: "Light and rooms", privacy: "public" }] },
    });
    const sections = await read(tenant, account.id, `?board_id=${DEFAULT_BOARD_ID}`);
    expect(sections.body.data.options).toEqual({ board_sections: DEFAULT_SECTIONS });
  });

  test("200 follows every page of the network", async () => {
    const boards = Array.from({ length: 612 }, () => String(randomInt(1e9, 1e12)));
    const { tenant, account } = await open("pinterest", { facts: { boards } });
    const { body } = await read(tenant, account.id);
    expect(body.data.options.boards.map(({ id }: { id: string }) => id)).toEqual(boards);
  });

  test("404 for the sections of a board that the account does not have", async () => {
    const { tenant, account } = await open("pinterest");
    const { status, body } = await read(tenant, account.id, "?board_id=12345");
    expect([status, body.error_code, body.message]).toEqual([404, "not_found", "The account has no board 12345."]);
  });
});

test("200 lists playlists and assignable categories of YouTube", async () => {
  const { tenant, account } = await open("youtube");
  const { options } = (await read(tenant, account.id)).body.data;
  expect(options.playlists).toEqual(DEFAULT_PLAYLISTS.map(({ id, title }) => ({ id, name: title, privacy: "public" })));
  expect(options.categories).toContainEqual({ id: "22", name: "People & Blogs" });
  expect(options.categories).not.toContainEqual(expect.objectContaining({ name: "Movies" }));
});

test("200 lists the privacy levels that TikTok allows the creator now", async () => {
  const { tenant, account } = await open("tiktok", { facts: { privacyLevels: ["FOLLOWER_OF_CREATOR", "SELF_ONLY"] } });
  expect((await read(tenant, account.id)).body.data.options).toEqual({
    privacy_levels: [
      { id: "FOLLOWER_OF_CREATOR", name: "Followers" },
      { id: "SELF_ONLY", name: "Only me" },
    ],
  });
});

test("200 without options for a hosted account, and for a network that has none", async () => {
  const { tenant, account } = await open("pinterest", { type: "hosted" });
  const other = await createTestAccount(tenant, "threads");
  for (const { id } of [account, other]) {
    const { status, body } = await read(tenant, id);
    expect([status, body.data.options]).toEqual([200, {}]);
  }
});

test("200 asks the network once in ten minutes, and again with refresh", async () => {
  const { tenant, account } = await open("youtube");
  const first = await read(tenant, account.id);
  const again = await read(tenant, account.id);
  expect(again.body.data).toEqual(first.body.data);
  const fresh = await read(tenant, account.id, "?refresh=true");
  expect(fresh.body.data.fetched_at > first.body.data.fetched_at).toBe(true);
});

test("404 hides accounts of another workspace", async () => {
  const { account } = await open("pinterest");
  const { status, body } = await read(await createTestTenant(), account.id);
  expect([status, body.error_code]).toEqual([404, "not_found"]);
});

test("409 for an account that is not connected any more", async () => {
  const { tenant, account } = await open("pinterest");
  await queryRows(sql`update accounts set status = 'disconnected' where id = ${account.id} returning id`);
  const { status, body } = await read(tenant, account.id);
  expect([status, body.error_code]).toEqual([409, "account_disconnected"]);
});

test("502 when the network fails, which is not kept", async () => {
  const { tenant, account } = await open("pinterest");
  const failing = { network: "pinterest", call: "boards/list", answer: "500", times: 1 };
  await callControl("POST", "/_behave", { ...failing, account: account.externalId });
  const { status, body } = await read(tenant, account.id);
  expect([status, body.error_code]).toEqual([502, "provider_error"]);
  expect((await read(tenant, account.id)).status).toBe(200);
});

test("429 when one account is asked about at its network too often", async () => {
  stopClock();
  const { tenant, account } = await open("pinterest");
  const other = await createTestAccount(tenant, "pinterest");
  const statuses = [];
  for (let count = 0; count < 11; count++) statuses.push((await read(tenant, account.id, "?refresh=true")).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  expect((await read(tenant, account.id)).status).toBe(200);
  expect((await read(tenant, other.id)).status).toBe(200);
});

test.each(["?board_id=summer", "?refresh=1", "?page=2"])("422 for %s", async (query) => {
  const { tenant, account } = await open("pinterest");
  expect((await read(tenant, account.id, query)).status).toBe(422);
});

test("409 account_disconnected also where the network has no choices; 200 with none for a hosted account", async () => {
  const { tenant, account } = await open("bluesky");
  const hosted = await createTestAccount(tenant, "tiktok", { type: "hosted" });
  expect((await read(tenant, account.id)).body.data.options).toEqual({});
  for (const { id } of [account, hosted]) {
    await queryRows(sql`update accounts set status = 'disconnected' where id = ${id} returning id`);
  }
  const { status, body } = await read(tenant, account.id);
  expect([status, body.error_code]).toEqual([409, "account_disconnected"]);
  expect((await read(tenant, hosted.id)).body.data.options).toEqual({});
});
