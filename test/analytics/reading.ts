// What tests of analytics share: targets of accounts that the stand-ins know, and a refresher to read them.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { refreshDue } from "../../lib/analytics/refresher.ts";
import type { World } from "../../lib/call.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import {
  type Client,
  database,
  lever,
  type MintedAccount,
  mintAccount,
  mintTenant,
  publisher,
  rows,
  type Tenant,
} from "../harness.ts";

export const HOUR_MS = 3_600_000;

export type Network = "tiktok" | "instagram" | "youtube";

export interface Tracked {
  tenant: Tenant;
  account: MintedAccount;
  targetId: string;
}

/** A tenant with one connected account of so many posts, which is tracked. */
export async function tracked(network: Network, facts: Record<string, unknown> = { posts: 45 }): Promise<Tracked> {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, network, { facts });
  return { tenant, account, targetId: await track(tenant.api, network, account.username) };
}

export async function track(api: Client, platform: Network, identifier: string): Promise<string> {
  const answer = await api.post("/analytics/targets", { platform, identifier });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.target.id;
}

/** Asks for a refresh of the target; its id. */
export async function asked({ tenant, targetId }: Pick<Tracked, "tenant" | "targetId">): Promise<string> {
  const answer = await tenant.api.post(`/analytics/targets/${targetId}/refresh`);
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.refresh.id;
}

/** Works on a refresh as the queue would have it, until nothing is due now. */
export async function refreshed(ids: string[], change: Partial<World> = {}, at = new Date()) {
  const { world, refreshed: messages, pass } = publisher(at, change);
  await refreshDue(world, ids);
  for (let next = messages.shift(); next; next = messages.shift()) {
    if (next.delaySeconds === 0) await refreshDue(world, next.refreshIds);
  }
  return { world, pass };
}

export interface RefreshState {
  status: string;
  error: string | null;
  started_at: string | null;
  completed_at: string | null;
}

export async function stateOf({ tenant }: Pick<Tracked, "tenant">, refreshId: string): Promise<RefreshState> {
  const answer = await tenant.api.get(`/analytics/refreshes/${refreshId}`);
  return answer.body.data.refresh;
}

export interface StoredPost {
  platform_post_id: string;
  kind: string;
  published_at: string;
  caption: string;
  permalink: string | null;
  views: number;
  likes: number;
  comments: number;
  shares: number;
  saves: number;
}

const METRICS = sql`views::int as views, likes::int as likes, comments::int as comments, shares::int as shares, saves::int as saves`;

export function postsOf(targetId: string): Promise<StoredPost[]> {
  return rows(sql`select platform_post_id, kind, published_at, caption, permalink, ${METRICS}
    from analytics_posts where target_id = ${targetId} order by published_at desc, platform_post_id`);
}

/** Everything that refreshes leave of a target, without what differs from run to run. */
export async function leftOf(targetId: string) {
  const posts = await postsOf(targetId);
  const snapshots =
    await rows(sql`select p.platform_post_id, s.day::text as day, s.views::int as views, s.likes::int as likes,
      s.comments::int as comments, s.shares::int as shares, s.saves::int as saves
    from analytics_snapshots s join analytics_posts p on p.id = s.post_id where p.target_id = ${targetId}
    order by 1, 2`);
  const days = await rows(sql`select day::text as day, ${METRICS} from analytics_target_days
    where target_id = ${targetId} order by day`);
  const refreshes = await rows(sql`select status, was_free, posts_seen, error, next_attempt_at, lease_token
    from analytics_refreshes where target_id = ${targetId} order by created_at`);
  return { posts, snapshots, days, refreshes };
}

/** The calls that one account made to its network. */
export async function callsOf({ platform, externalId }: MintedAccount): Promise<Record<string, number>> {
  const { calls } = await lever<{ calls: { account: string; call: string }[] }>("GET", `/_log?network=${platform}`);
  const own = calls.filter(({ account }) => account === externalId).map(({ call }) => call);
  return Object.fromEntries([...new Set(own)].map((call) => [call, own.filter((one) => one === call).length]));
}

/** Lets the network know an account otherwise than before. */
export async function relearn(account: MintedAccount, change: { facts?: Record<string, unknown>; expired?: boolean }) {
  const { platform, externalId, accessToken, username } = account;
  await lever("PUT", "/_accounts", { platform, externalId, accessToken, username, ...change });
}

export async function askedAt({ tenant, targetId }: Tracked, now: Date): Promise<string> {
  const { ownerId, workspaceId } = tenant;
  const request = { id: newId(), targetId, now, deadlineAt: new Date(now.getTime() + 6 * HOUR_MS) };
  const answer = await refreshes.request(database(), { id: workspaceId ?? ownerId, ownerId, workspaceId }, request);
  if ("refused" in answer) throw new Error(answer.refused);
  return answer.asked.id;
}
