// Two tracked accounts with four weeks of metrics: what their fake networks would have listed on each day.
import { v7 as newId } from "uuid";
import { insertRefreshRequest } from "../../../lib/queries/analytics-refresh-requests.ts";
import { claimRefreshes, savePageOfPosts } from "../../../lib/queries/analytics-refreshes.ts";
import { insertTarget } from "../../../lib/queries/analytics-targets.ts";
import { DEFAULT_REFRESH_POLICY } from "../../../lib/schemas/analytics.ts";
import type { FetchedPost } from "../../../lib/schemas/analytics-metrics.ts";
import { toUtcDay } from "../../../lib/schemas/analytics-period.ts";
import type { Db } from "../../../lib/services/database.ts";
import { at } from "../../../lib/shared/at.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { listUnreported } from "../../../lib/shared/metrics.ts";
import type { Scope } from "../../../lib/shared/scope.ts";
import { INSTAGRAM_POSTS } from "../../../lib/simulator/networks/instagram-analytics.ts";
import { buildPostHistory, type PostFormat } from "../../../lib/simulator/networks/post-history.ts";
import { YOUTUBE_POSTS } from "../../../lib/simulator/networks/youtube-analytics.ts";
import type { NetworkAccount } from "../networks/server.ts";

const DAYS = 28;
const LEASE_MS = 60_000;

const FORMATS = { instagram: INSTAGRAM_POSTS, youtube: YOUTUBE_POSTS };

/** The last day is yesterday, so that today's free refresh is left to the person. */
export async function insertAnalytics(
  db: Db,
  scope: Scope,
  tracked: readonly { account: NetworkAccount; displayName: string }[],
  now: Date,
): Promise<void> {
  const toDay = (age: number) => new Date(now.getTime() - age * DAY_MS);
  for (const { account, displayName } of tracked) {
    const platform = account.platform as keyof typeof FORMATS;
    const identifier = account.username ?? account.externalId;
    const createdAt = toDay(DAYS);
    const target = { id: newId(), platform, identifier, normalizedIdentifier: identifier, displayName, createdAt };
    await insertTarget(db, scope, { ...target, ...DEFAULT_REFRESH_POLICY }, toUtcDay(createdAt));
    const request = { id: newId(), targetId: target.id, now: toDay(1), deadlineAt: now };
    await insertRefreshRequest(db, scope, request);
    const claim = { now: toDay(1), leaseToken: newId(), leaseUntil: new Date(now.getTime() + LEASE_MS), limit: 1 };
    const claimed = at(await claimRefreshes(db, { ...claim, ids: [request.id] }), 0);
    for (let age = DAYS; age >= 1; age--) {
      const posts = listPostsAt(account, FORMATS[platform], toDay(age), age);
      const missing = listUnreported(platform);
      const page = { posts, missing, seen: posts.length, cursor: age > 1 ? String(age) : null };
      await savePageOfPosts(db, claimed, page, toDay(age), claim.leaseUntil);
    }
  }
}

/** The posts of the account as it was `age` days ago. */
function listPostsAt(account: NetworkAccount, format: PostFormat, day: Date, age: number): FetchedPost[] {
  const then = { ...account, facts: { ...account.facts, shiftDays: -age } };
  const clock = { now: () => Date.now(), startedAt: Date.now() };
  return buildPostHistory(clock, then, [], format)
    .filter((post) => post.at <= day)
    .map(({ id, kind, at: publishedAt, caption, url, thumbnail, seconds, metrics }) => ({
      platformPostId: id,
      kind,
      publishedAt,
      caption,
      permalink: url,
      thumbnailUrl: thumbnail ?? null,
      durationSeconds: kind === "video" ? seconds : null,
      ...metrics,
      likes: metrics.likes ?? null,
      // YouTube reports neither.
      ...(format === YOUTUBE_POSTS ? { shares: null, saves: null } : {}),
    }));
}
