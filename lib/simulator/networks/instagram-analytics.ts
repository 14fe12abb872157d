// Read access of the simulated Instagram: an account's media and their insights.

import type { AnalyticsFacts } from "./analytics/calls.ts";
import type { NetworkContext } from "./context.ts";
import type { PathParams } from "./endpoints.ts";
import { formatGraphTime, graphError, missingObjectError } from "./meta-protocol.ts";
import type { NetworkAccount, NetworkRequest, NetworkResponse, PublishedItem } from "./network.ts";
import { buildPostHistory, createReadQuota, type HistoryPost, hashToDigits, type PostFormat } from "./post-history.ts";

export const INSTAGRAM_POSTS: PostFormat = {
  buildId: (seed) => `180${hashToDigits(seed, 14)}`,
  buildUrl: (id) => `https://www.instagram.com/p/${Buffer.from(id).toString("base64url")}/`,
  kinds: ["video", "video", "image", "carousel"],
};

const MEDIA_TYPES = { video: "VIDEO", image: "IMAGE", carousel: "CAROUSEL_ALBUM" } as const;

/**
 * Facts of an account: `unmeasured`, how many of its oldest posts precede the conversion to a professional account; `retired`,
 * the metrics that Instagram does not know any more.
 */
export function createInstagramAnalytics(context: NetworkContext, published: PublishedItem[]) {
  const consumeReadQuota = createReadQuota(context);

  function getHistory(account: NetworkAccount): { posts: HistoryPost[]; unmeasured: Set<string> } {
    const feed = published.filter(({ kind }) => kind !== "STORIES");
    const posts = buildPostHistory(context, account, feed, INSTAGRAM_POSTS);
    const count = Number(account.facts?.unmeasured ?? 0);
    return { posts, unmeasured: new Set(count > 0 ? posts.slice(-count).map(({ id }) => id) : []) };
  }

  function findAccessError(account: NetworkAccount): NetworkResponse | null {
    if (account.facts?.noReading === true) {
      return graphError(400, 10, null, "Application does not have permission for this action");
    }
    return consumeReadQuota(account)
      ? graphError(400, 80002, null, "There have been too many calls from this account.")
      : null;
  }

  return {
    /** The edge `media`, with opaque cursors, and with insights when requested. */
    list(account: NetworkAccount, { query, baseUrl, path }: NetworkRequest): NetworkResponse {
      const accessError = findAccessError(account);
      if (accessError) return accessError;
      const fields = (query.get("fields") ?? "id").split(/,(?![^(]*\))/);
      const limit = Math.min(Number(query.get("limit") ?? 25), 100);
      const { posts, unmeasured } = getHistory(account);
      const after = query.get("after");
      const start = after === null ? 0 : posts.findIndex(({ id }) => encodeCursor(id) === after) + 1;
      if (after !== null && start === 0) return graphError(400, 100, null, "Invalid parameter: after");
      const page = posts.slice(start, start + limit);
      const metrics = /^insights\.metric\(([\w,]+)\)$/.exec(fields.find((field) => field.startsWith("insights")) ?? "");
      const retired = findRetired(account, metrics?.[1]);
      if (retired) return retired;
      if (metrics && page.some(({ id }) => unmeasured.has(id))) return notMeasuredError();
      const data = page.map((post) => ({
        ...Object.fromEntries(fields.flatMap((field) => pickField(post, field))),
        ...(metrics ? { insights: { data: buildInsights(post, metrics[1] ?? "") } } : {}),
        id: post.id,
      }));
      const last = page.at(-1);
      if (!last) return { status: 200, body: { data: [], paging: {} } };
      const cursors = { before: encodeCursor(page[0]?.id ?? ""), after: encodeCursor(last.id) };
      const hasMore = start + page.length < posts.length;
      const next = hasMore ? { next: `${baseUrl}${path}?limit=${limit}&after=${cursors.after}` } : {};
      return { status: 200, body: { data, paging: { cursors, ...next } } };
    },

    insights(account: NetworkAccount, { query, method }: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
      const accessError = findAccessError(account);
      if (accessError) return accessError;
      const { posts, unmeasured } = getHistory(account);
      const post = posts.find((candidate) => candidate.id === id);
      if (!post) return missingObjectError(id, method);
      const retired = findRetired(account, query.get("metric"));
      if (retired) return retired;
      return unmeasured.has(id)
        ? notMeasuredError()
        : { status: 200, body: { data: buildInsights(post, query.get("metric") ?? "") } };
    },
  };
}

/** The text of https://github.com/brightbeanxyz/brightbean-studio/pull/76, read 2026-11-29. */
function findRetired(account: NetworkAccount, names: string | null | undefined): NetworkResponse | null {
  const { retired = [] } = (account.facts ?? {}) as AnalyticsFacts;
  const isKnown = !names?.split(",").some((name) => retired.includes(name));
  return isKnown ? null : graphError(400, 100, null, "(#100) metric[0] must be one of the following values: reach");
}

function encodeCursor(id: string): string {
  return Buffer.from(`after ${id}`).toString("base64url");
}

function pickField(
  { id, kind, at, caption, url, thumbnail, metrics }: HistoryPost,
  field: string,
): [string, unknown][] {
  const allFields: Record<string, unknown> = {
    caption,
    media_type: MEDIA_TYPES[kind],
    permalink: url,
    timestamp: formatGraphTime(at.toISOString()),
    media_url: thumbnail ?? `https://scontent.cdninstagram.com/${id}`,
    ...(kind === "video" ? { thumbnail_url: thumbnail ?? `https://scontent.cdninstagram.com/${id}.jpg` } : {}),
    like_count: metrics.likes,
    comments_count: metrics.comments,
  };
  return field in allFields ? [[field, allFields[field]]] : [];
}

function buildInsights({ metrics }: HistoryPost, names: string) {
  const values: Record<string, number | undefined> = { ...metrics, saved: metrics.saves };
  return names.split(",").flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ name, period: "lifetime", values: [{ value }] }];
  });
}

function notMeasuredError(): NetworkResponse {
  return graphError(400, 100, 2108006, "Invalid parameter", {
    error_user_title: "Media posted before business account conversion",
  });
}
