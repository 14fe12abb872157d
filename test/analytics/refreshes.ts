// Helpers of the analytics tests: tracked accounts on the fake networks, and refreshes of them.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { runRefreshes } from "../../lib/analytics/run-refreshes.ts";
import { insertRefreshRequest } from "../../lib/queries/analytics-refresh-requests.ts";
import type { Services } from "../../lib/services/context.ts";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { listLeastScopes, PERMISSIONS } from "../local/networks/permissions/table.ts";
import {
  type Client,
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";

export type Network = Platform;

export interface TrackedAccount {
  tenant: Tenant;
  account: TestAccount;
  targetId: string;
}

/** A tenant with one connected and tracked account; `facts` configure its posts on the fake network. */
/** Analytics needs more than publishing does: at TikTok the Display API. */
export function listReadingScopes(platform: Network): string[] {
  const rows = PERMISSIONS[platform].filter(({ use }) => use === "analytics");
  return [...listLeastScopes(platform), ...rows.flatMap(({ anyOf }) => anyOf[0] ?? [])];
}

export async function createTrackedAccount(
  network: Network,
  facts: Record<string, unknown> = { posts: 45 },
): Promise<TrackedAccount> {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, network, { facts, scopes: listReadingScopes(network) });
  return { tenant, account, targetId: await createTarget(tenant.api, network, account.username) };
}

export async function createTarget(api: Client, platform: Network, identifier: string): Promise<string> {
  const response = await api.post("/analytics/targets", { platform, identifier });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data.target.id;
}

/** Requests a refresh of the target and returns its id. */
export async function requestRefresh({
  tenant,
  targetId,
}: Pick<TrackedAccount, "tenant" | "targetId">): Promise<string> {
  const response = await tenant.api.post(`/analytics/targets/${targetId}/refresh`);
  if (response.status !== 202) throw new Error(JSON.stringify(response.body));
  return response.body.data.refresh.id;
}

/** Runs refreshes and the messages that they enqueue without delay. */
export async function processRefreshes(ids: string[], change: Partial<Services> = {}, at = new Date()) {
  const { services, enqueuedRefreshes: messages, advance } = createTestPublisher(at, change);
  await runRefreshes(services, ids);
  for (let next = messages.shift(); next; next = messages.shift()) {
    if (next.delaySeconds === 0) await runRefreshes(services, next.refreshIds);
  }
  return { services, advance };
}

export interface RefreshState {
  status: string;
  error: string | null;
  started_at: string | null;
  completed_at: string | null;
}

export async function readRefreshState(
  { tenant }: Pick<TrackedAccount, "tenant">,
  refreshId: string,
): Promise<RefreshState> {
  const response = await tenant.api.get(`/analytics/refreshes/${refreshId}`);
  return response.body.data.refresh;
}

export interface StoredPost {
  platform_post_id: string;
  kind: string;
  published_at: string;
  caption: string;
  permalink: string | null;
  views: number | null;
  likes: number | null;
  comments: number | null;
  shares: number | null;
  saves: number | null;
}

const METRICS = sql`views::int as views, likes::int as likes, comments::int as comments, shares::int as shares, saves::int as saves`;

export function readStoredPosts(targetId: string): Promise<StoredPost[]> {
  return queryRows(sql`select platform_post_id, kind, published_at, caption, permalink, ${METRICS}
    from analytics_posts where target_id = ${targetId} order by published_at desc, platform_post_id`);
}

/** All rows that refreshes write for a target, without columns that differ between runs. */
export async function readStoredRows(targetId: string) {
  const posts = await readStoredPosts(targetId);
  const snapshots =
    await queryRows(sql`select p.platform_post_id, s.day::text as day, s.views::int as views, s.likes::int as likes,
      s.comments::int as comments, s.shares::int as shares, s.saves::int as saves
    from analytics_snapshots s join analytics_posts p on p.id = s.post_id where p.target_id = ${targetId}
    order by 1, 2`);
  const days = await queryRows(sql`select day::text as day, ${METRICS} from analytics_target_days
    where target_id = ${targetId} order by day`);
  const refreshes = await queryRows(sql`select status, was_free, posts_seen, error, next_attempt_at, lease_token
    from analytics_refreshes where target_id = ${targetId} order by created_at`);
  return { posts, snapshots, days, refreshes };
}

/** Counts the calls to the network of one account, by operation. */
export async function countNetworkCalls({ platform, externalId }: TestAccount): Promise<Record<string, number>> {
  const { calls } = await callControl<{ calls: { account: string; call: string }[] }>(
    "GET",
    `/_log?network=${platform}`,
  );
  const own = calls.filter(({ account }) => account === externalId).map(({ call }) => call);
  return Object.fromEntries([...new Set(own)].map((call) => [call, own.filter((one) => one === call).length]));
}

/** Changes the account on the fake network. */
export async function updateNetworkAccount(
  account: TestAccount,
  change: { facts?: Record<string, unknown>; expired?: boolean; scopes?: string[] },
) {
  const { platform, externalId, accessToken, username } = account;
  const scopes = listReadingScopes(platform as Network);
  await callControl("PUT", "/_accounts", { platform, externalId, accessToken, username, scopes, ...change });
}

export async function requestRefreshAt({ tenant, targetId }: TrackedAccount, now: Date): Promise<string> {
  const { ownerId, workspaceId } = tenant;
  const request = { id: newId(), targetId, now, deadlineAt: new Date(now.getTime() + 6 * HOUR_MS) };
  const response = await insertRefreshRequest(
    openTestDatabase(),
    { id: workspaceId ?? ownerId, ownerId, workspaceId },
    request,
  );
  if ("rejected" in response) throw new Error(response.rejected);
  return response.requested.id;
}
