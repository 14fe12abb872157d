// Accounts, bodies and expectations that the tests of posts share.
import { type SQL, sql } from "drizzle-orm";
import { expect } from "vitest";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";

export const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** A workspace with three accounts and a verified video, and the body of a post of them. */
export async function openPostTenant() {
  const tenant = await createTestTenant();
  const instagram = await createTestAccount(tenant, "instagram");
  const tiktok = await createTestAccount(tenant, "tiktok");
  const bluesky = await createTestAccount(tenant, "bluesky");
  const url = await uploadDemoVideo(tenant.api);
  const buildBody = (more: object = {}) => ({
    ...{ caption: "one", accounts: [{ id: instagram.id }], media: { type: "video", url } },
    ...more,
  });
  const createPost = (more: object = {}, path = "/posts") =>
    createPostOf(tenant, buildBody({ scheduled_at: inHours(1), ...more }), path);
  return { tenant, api: tenant.api, instagram, tiktok, bluesky, url, buildBody, createPost };
}

/** Returns the id of the post. */
export async function createPostOf(tenant: Tenant, sent: object, path = "/posts"): Promise<string> {
  const { status, body } = await tenant.api.post(path, sent);
  expect([status, body.error_code]).toEqual([201, undefined]);
  return body.data.id;
}

/** Sets states that otherwise only a worker sets. */
export const updateDeliveries = (postId: string, change: SQL) =>
  queryRows<{ id: string }>(sql`update post_deliveries set ${change} where post_id = ${postId} returning id`);

export const updateAccount = (id: string, change: SQL) =>
  queryRows(sql`update accounts set ${change} where id = ${id} returning id`);

interface ErrorResponse {
  status: number;
  body: { error_code?: string; fields?: { path: string }[] };
}

export const getPaths = ({ body }: ErrorResponse) => (body.fields ?? []).map(({ path }) => path);

/** Expects these fields and no others where `paths` are given. */
export function expectError(response: ErrorResponse, status: number, code: string, ...paths: string[]) {
  expect([response.status, response.body.error_code]).toEqual([status, code]);
  if (paths.length > 0) expect(getPaths(response)).toEqual(paths);
}
