// Posts that are out on the fake networks, for the tests of what is done to them afterwards.
import { sql } from "drizzle-orm";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import {
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";

export interface PublishedSetting {
  tenant: Tenant;
  accounts: TestAccount[];
  postId: string;
}

/** Networks that take a text alone. */
export const TEXT_NETWORKS = ["twitter", "facebook", "bluesky", "threads", "linkedin"] as const;

type AccountOptions = Parameters<typeof createTestAccount>[2];

/** Publishes one post to an account of each network: a text where all of them take one, else a video. */
export async function publishTo(
  platforms: readonly Platform[],
  { options, more = {}, tenant }: { options?: AccountOptions; more?: object; tenant?: Tenant } = {},
): Promise<PublishedSetting> {
  const owner = tenant ?? (await createTestTenant());
  const accounts: TestAccount[] = [];
  for (const platform of platforms) accounts.push(await createTestAccount(owner, platform, options));
  const isText = platforms.every((platform) => (TEXT_NETWORKS as readonly string[]).includes(platform));
  const response = await owner.api.post("/posts", {
    caption: "What is out",
    accounts: accounts.map(({ id }) => ({ id })),
    ...(isText ? {} : { media: { type: "video", url: await uploadDemoVideo(owner.api) } }),
    ...(platforms.includes("pinterest") ? { pinterest: { board_id: DEFAULT_BOARD_ID } } : {}),
    ...more,
  });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  const postId: string = response.body.data.id;
  await publishDeliveries(postId);
  return { tenant: owner, accounts, postId };
}

/** Runs workers, whose clock moves to each next check, until no delivery of the post has one. */
export async function publishDeliveries(postId: string): Promise<void> {
  const { services, advance } = createTestPublisher(new Date());
  for (let round = 0; round < 30; round++) {
    const rows = await queryRows<{ id: string; next: string; url: string | null }>(
      sql`select id, next_attempt_at as next, published_url as url from post_deliveries
        where post_id = ${postId} and next_attempt_at is not null
          and (published_at is null or parts @> '[{"status": "waiting"}]')`,
    );
    if (rows.length === 0) return;
    const next = Math.min(...rows.map((row) => new Date(row.next).getTime()));
    advance(Math.max(0, next - services.clock().getTime()) + 1_000);
    await publishDue(
      services,
      rows.map(({ id }) => id),
    );
    // The fakes process media in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  throw new Error(`Post ${postId} was not published.`);
}

export const unpublish = ({ tenant, postId }: PublishedSetting, body: object = {}, headers = {}) =>
  tenant.api.post(`/posts/${postId}/unpublish`, body, headers);

export const readPost = async ({ tenant, postId }: PublishedSetting) =>
  (await tenant.api.get(`/posts/${postId}`)).body.data;

/** The calls of the networks for the accounts of the post so far. */
export const listCalls = async ({ accounts }: PublishedSetting) => {
  const { calls } = await callControl<{ calls: { call: string; account: string }[] }>("GET", "/_log");
  return calls.filter(({ account }) => accounts.some(({ externalId }) => externalId === account));
};
