// Tokens of accounts that nobody posts with: what cron trades before it dies, and what it leaves alone.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { tokensTick } from "../../functions/cron/tokens.ts";
import type { Platform } from "../../lib/platforms/platform.ts";
import { mintAccount, mintTenant, publisher, rows } from "../harness.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** So far ahead that every token of another test is long dead. */
const START = Date.now() + 1_000 * DAY_MS;
const after = (days: number) => new Date(START + days * DAY_MS);

async function connected(platform: Platform, days: number) {
  const tokenExpiresAt = after(days);
  return mintAccount(await mintTenant(), platform, { tokenExpiresAt });
}

async function rowOf({ id }: { id: string }) {
  const [row] = await rows<{ version: number; status: string; lease: string | null; ends: string }>(sql`
    select token_version as version, status, lease_token as lease, token_expires_at as ends from accounts
    where id = ${id}`);
  return row && { ...row, ends: new Date(row.ends) };
}

const traded = { access_token: "fresh", refresh_token: "rotated", expires_in: 60 * 24 * 60 * 60 };

/** A tick that many days on; the networks' answer is scripted, since other tests tell the stand-ins to fail. */
const ticked = (days = 0, says = () => Response.json(traded)) =>
  tokensTick(publisher(after(days), { fetch: async () => says(), log: () => undefined }).world);

test("a token of Meta's networks is traded weeks before its end, when it can not be traded any more", async () => {
  for (const platform of ["instagram", "threads"] as const) {
    const [aging, young, dead] = [
      await connected(platform, 29),
      await connected(platform, 31),
      await connected(platform, -1),
    ];
    await ticked();
    expect(await rowOf(aging)).toEqual({ version: 1, status: "active", ends: after(60), lease: null });
    expect(await rowOf(young)).toMatchObject({ version: 0, ends: after(31) });
    expect(await rowOf(dead)).toMatchObject({ version: 0, status: "active" });
  }
});

test("a refresh token that lives on by being used is used although nobody posts", async () => {
  const [aging, young] = [await connected("pinterest", 0.5), await connected("pinterest", 2)];
  await ticked();
  expect((await rowOf(aging))?.version).toBe(1);
  expect((await rowOf(young))?.version).toBe(0);
});

test("networks whose refresh tokens wait are left alone until a post needs them", async () => {
  const account = await connected("youtube", 0.01);
  await ticked();
  expect((await rowOf(account))?.version).toBe(0);
});

test("a trade that is refused costs nothing and is tried again the next day, not the next minute", async () => {
  const account = await connected("instagram", 10);
  await ticked(0, () => Response.json({ error: { code: 190 } }, { status: 400 }));
  expect(await rowOf(account)).toMatchObject({ version: 0, status: "active", ends: after(10), lease: null });
  await ticked(0.9);
  expect((await rowOf(account))?.version).toBe(0);
  await ticked(1.1);
  expect((await rowOf(account))?.version).toBe(1);
});

test("an account that a publisher holds is left to it", async () => {
  const account = await connected("instagram", 10);
  const thief = newId();
  await rows(sql`update accounts set lease_token = ${thief}, lease_until = ${after(0.001).toISOString()}
    where id = ${account.id} returning id`);
  await ticked();
  expect(await rowOf(account)).toMatchObject({ version: 0, lease: thief });
});
