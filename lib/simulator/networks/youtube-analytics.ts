// Read access of the simulated YouTube: channels, their uploads playlists, and videos with statistics.

import { createHash } from "node:crypto";
import type { NetworkContext } from "./context.ts";
import type { NetworkAccount, NetworkRequest, NetworkResponse, PublishedItem } from "./network.ts";
import { buildPostHistory, createReadQuota, type HistoryPost, type PostFormat } from "./post-history.ts";

export const YOUTUBE_POSTS: PostFormat = {
  buildId: (seed) => createHash("sha256").update(seed).digest("base64url").slice(0, 11),
  buildUrl: (id) => `https://www.youtube.com/watch?v=${id}`,
  kinds: ["video"],
};

type BuildError = (reason: string) => NetworkResponse;

export function createYouTubeAnalytics(
  context: NetworkContext,
  accounts: () => Iterable<NetworkAccount>,
  published: PublishedItem[],
  buildError: BuildError,
) {
  const consumeReadQuota = createReadQuota(context);
  const getUploadsPlaylistId = ({ externalId }: NetworkAccount) => `UU${externalId}`;
  const getHistory = (account: NetworkAccount) => buildPostHistory(context, account, published, YOUTUBE_POSTS);

  function findAccessError(account: NetworkAccount): NetworkResponse | null {
    if (account.facts?.noReading === true) return buildError("insufficientPermissions");
    return consumeReadQuota(account) ? buildError("quotaExceeded") : null;
  }

  function findChannel(account: NetworkAccount, query: URLSearchParams): NetworkAccount | undefined {
    if (query.get("mine") === "true") return account;
    const handle = query.get("forHandle")?.replace(/^@/, "").toLowerCase();
    return [...accounts()].find(({ externalId, username }) =>
      handle === undefined ? externalId === query.get("id") : username?.toLowerCase() === handle,
    );
  }

  return {
    channels(account: NetworkAccount, { query }: NetworkRequest): NetworkResponse {
      const accessError = findAccessError(account);
      if (accessError) return accessError;
      const found = findChannel(account, query);
      const items = found
        ? [{ id: found.externalId, contentDetails: { relatedPlaylists: { uploads: getUploadsPlaylistId(found) } } }]
        : [];
      return { status: 200, body: { kind: "youtube#channelListResponse", ...(items.length > 0 ? { items } : {}) } };
    },

    playlistItems(account: NetworkAccount, { query }: NetworkRequest): NetworkResponse {
      const accessError = findAccessError(account);
      if (accessError) return accessError;
      const owner = [...accounts()].find((candidate) => getUploadsPlaylistId(candidate) === query.get("playlistId"));
      const posts = owner ? getHistory(owner) : [];
      if (posts.length === 0) return buildError("playlistNotFound");
      const size = Math.min(Number(query.get("maxResults") ?? 5), 50);
      const token = query.get("pageToken");
      const start = token === null ? 0 : Number(Buffer.from(token, "base64url").toString());
      if (!Number.isInteger(start)) return buildError("invalidPageToken");
      const page = posts.slice(start, start + size);
      const next = start + size < posts.length ? Buffer.from(String(start + size)).toString("base64url") : null;
      const items = page.map(({ id }) => ({ kind: "youtube#playlistItem", contentDetails: { videoId: id } }));
      const pageInfo = { totalResults: posts.length, resultsPerPage: size };
      return { status: 200, body: { items, pageInfo, ...(next ? { nextPageToken: next } : {}) } };
    },

    /** Videos with statistics; null when the request is about the processing status of an upload. */
    videos(account: NetworkAccount, { query }: NetworkRequest): NetworkResponse | null {
      if (!/\bstatistics\b/.test(query.get("part") ?? "")) return null;
      const accessError = findAccessError(account);
      if (accessError) return accessError;
      const ids = (query.get("id") ?? "").split(",");
      if (ids.length > 50) return buildError("invalidFilters");
      const known = new Map(
        [...accounts()].flatMap((owner) => getHistory(owner).map((post) => [post.id, post] as const)),
      );
      const items = ids.flatMap((id) => known.get(id) ?? []).map(toVideoResource);
      return { status: 200, body: { kind: "youtube#videoListResponse", items } };
    },
  };
}

/** Statistics are strings of digits; YouTube returns no shares and saves. */
function toVideoResource({ id, at, caption, thumbnail, seconds, metrics }: HistoryPost) {
  return {
    kind: "youtube#video",
    id,
    snippet: {
      publishedAt: at.toISOString().replace(/\.\d{3}Z$/, "Z"),
      title: caption,
      thumbnails: { high: { url: thumbnail ?? `https://i.ytimg.com/vi/${id}/hqdefault.jpg` } },
    },
    contentDetails: { duration: `PT${seconds >= 60 ? `${Math.floor(seconds / 60)}M` : ""}${seconds % 60}S` },
    status: { privacyStatus: "public" },
    statistics: {
      viewCount: String(metrics.views),
      ...(metrics.likes === undefined ? {} : { likeCount: String(metrics.likes) }),
      commentCount: String(metrics.comments),
    },
  };
}
