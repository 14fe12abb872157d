// A token key is rotated while posts go out: every stored token changes its key, and no post fails.
import { randomBytes } from "node:crypto";
import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import { rotateTokenKey } from "../../functions/commands/rotate-token-key.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { decryptToken, encryptTokens, getKeyId, type TokenKeys } from "../../lib/shared/token-encryption.ts";
import {
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  type Tenant,
  type TestAccount,
  vars,
} from "../support/harness.ts";

const db = openTestDatabase();
const CURRENT = vars.TOKEN_KEY ?? "";
const createKey = () => randomBytes(32).toString("base64");

/** Stores the tokens of an account as a deployment with another key has stored them. */
async function encryptWith(key: string, { id, accessToken }: TestAccount): Promise<void> {
  const encrypted = await encryptTokens({ current: key }, id, { accessToken, refreshToken: `refresh ${id}` });
  await db.update(accounts).set(encrypted).where(eq(accounts.id, id));
}

const createAccounts = (tenant: Tenant, count: number) =>
  Promise.all(Array.from({ length: count }, () => createTestAccount(tenant, "twitter")));

async function postText(tenant: Tenant, connected: TestAccount[]): Promise<string[]> {
  const earlier = tenant.api.enqueuedDeliveries.length;
  const answer = await tenant.api.post("/posts", { caption: "hello", accounts: connected.map(({ id }) => ({ id })) });
  expect(answer.status).toBe(201);
  return tenant.api.enqueuedDeliveries.slice(earlier).flatMap(({ deliveryIds }) => deliveryIds);
}

function createPublisherWith(tokenKeys: TokenKeys) {
  const { services } = createTestPublisher(new Date());
  return { ...services, env: { ...services.env, tokenKeys } };
}

const readStatuses = async (ids: string[]) =>
  (await db.select({ status: postDeliveries.status }).from(postDeliveries).where(inArray(postDeliveries.id, ids))).map(
    ({ status }) => status,
  );

test("posts go out before, during and after the rotation", async () => {
  const previous = createKey();
  const tenant = await createTestTenant();
  const connected = await createAccounts(tenant, 30);
  await Promise.all(connected.map((account) => encryptWith(previous, account)));
  const groups = [0, 10, 20].map((first) => connected.slice(first, first + 10));
  const posts = [];
  for (const group of groups) posts.push(await postText(tenant, group));
  const [before = [], during = [], after = []] = posts;

  const publisher = createPublisherWith({ current: CURRENT, previous });
  await publishDue(publisher, before);
  const [rotation] = await Promise.all([
    rotateTokenKey(db, { current: CURRENT, previous }, () => undefined),
    publishDue(publisher, during),
  ]);
  await publishDue(createPublisherWith({ current: CURRENT }), after);

  expect(rotation).toEqual({ replaced: 30, apps: 0, webhooks: 0, failed: [] });
  expect(await readStatuses([...before, ...during, ...after])).toEqual(Array.from({ length: 30 }, () => "posted"));
  const ids = connected.map(({ id }) => id);
  const rows = await db.select().from(accounts).where(inArray(accounts.id, ids));
  for (const { id, accessToken, refreshToken } of rows) {
    for (const encrypted of [accessToken, refreshToken]) expect(encrypted).toMatch(`${getKeyId(CURRENT)}.`);
    const token = await decryptToken(
      { current: CURRENT },
      { accountId: id, column: "access_token" },
      accessToken ?? "",
    );
    expect(token).toBe(connected.find((account) => account.id === id)?.accessToken);
  }
});

test("a token that neither key decrypts is named and left as it is, and the others are rotated", async () => {
  const [previous, lost] = [createKey(), createKey()];
  const [broken, whole] = await createAccounts(await createTestTenant(), 2);
  if (!broken || !whole) throw new Error("No accounts.");
  await encryptWith(lost, broken);
  await encryptWith(previous, whole);
  const read = async () => (await db.select().from(accounts).where(eq(accounts.id, broken.id)))[0]?.accessToken;
  const stored = await read();
  const keys = { current: CURRENT, previous };
  expect(await rotateTokenKey(db, keys, () => undefined)).toEqual({
    replaced: 1,
    apps: 0,
    webhooks: 0,
    failed: [broken.id],
  });
  expect(await read()).toBe(stored);
  await encryptWith(CURRENT, broken);
});

test("a token does not decrypt in another row or column", async () => {
  const keys = { current: createKey() };
  const { accessToken } = await encryptTokens(keys, "a", { accessToken: "secret", refreshToken: null });
  const decrypt = (accountId: string, column: "access_token" | "refresh_token") =>
    decryptToken(keys, { accountId, column }, accessToken);
  expect(await decrypt("a", "access_token")).toBe("secret");
  await expect(decrypt("b", "access_token")).rejects.toThrow();
  await expect(decrypt("a", "refresh_token")).rejects.toThrow();
  await expect(
    decryptToken({ current: createKey() }, { accountId: "a", column: "access_token" }, accessToken),
  ).rejects.toThrow("No configured token key has the id");
});
