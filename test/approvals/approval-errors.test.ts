// An approval finds a draft that cannot be published: the error is that of a commit, and the draft stays one.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { expectError, openPostTenant, updateAccount, updateDeliveries } from "../posts/post-requests.ts";
import { createClient, createTestAccount, createTestKey } from "../support/harness.ts";

const posts = await openPostTenant();
const approver = createClient(await createTestKey(posts.tenant, { permissions: ["posts:read", "posts:approve"] }));

/** Asks for the approval of a draft with these fields. */
async function askFor(more: object = {}, beforeAsking: () => Promise<unknown> = async () => undefined) {
  const { id: post }: { id: string } = (await posts.api.post("/posts/prepare", posts.buildBody(more))).body.data;
  await beforeAsking();
  const asked = await posts.api.post(`/posts/${post}/approvals`, {});
  expect([asked.status, asked.body.error_code]).toEqual([201, undefined]);
  const readStatus = async () => (await posts.api.get(`/posts/${post}`)).body.data.status;
  return { post, approve: `/posts/${post}/approvals/${asked.body.data.id}/approve`, readStatus };
}

const addAccount = async (platform: "instagram" | "pinterest") => {
  const { id } = await createTestAccount(posts.tenant, platform);
  return { id, fields: { accounts: [{ id }] } };
};

test.each<[status: number, code: string, prepare: () => Promise<{ approve: string; readStatus(): Promise<string> }>]>([
  [400, "validation_failed", async () => askFor((await addAccount("pinterest")).fields)],
  [400, "media_unreachable", async () => askFor({ media: { type: "video", url: "http://127.0.0.1:9/a.mp4" } })],
  [422, "no_slots", async () => askFor({ ...(await addAccount("instagram")).fields, scheduled_at: "next_slot" })],
  [
    400,
    "unknown_accounts",
    async () => {
      const { id, fields } = await addAccount("instagram");
      return askFor(fields, () => updateAccount(id, sql`status = 'paused'`));
    },
  ],
  [
    409,
    "post_in_flight",
    async () => {
      const asked = await askFor();
      await updateDeliveries(asked.post, sql`lease_until = now() + interval '1 minute'`);
      return asked;
    },
  ],
])("%i %s", async (status, code, prepare) => {
  const { approve, readStatus } = await prepare();
  expectError(await approver.post(approve), status, code);
  expect(await readStatus()).toBe("draft");
});
