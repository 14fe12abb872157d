// The reading half of YouTube's stand-in: channels, the playlist of their uploads, and videos with their statistics.
import { createHash } from "node:crypto";
import { createReadQuota, type LibraryPost, libraryOf, type Named } from "./library.ts";
import type { Answer, Incoming, NetworkAccount, PublishedItem } from "./network.ts";

const NAMED: Named = {
  id: (seed) => createHash("sha256").update(seed).digest("base64url").slice(0, 11),
  url: (id) => `https://www.youtube.com/watch?v=${id}`,
  kinds: ["video"],
};

type Refuse = (reason: string) => Answer;

export function youtubeReading(accounts: () => Iterable<NetworkAccount>, published: PublishedItem[], fault: Refuse) {
  const spent = createReadQuota();
  const uploadsOf = ({ externalId }: NetworkAccount) => `UU${externalId}`;
  const shelf = (account: NetworkAccount) => libraryOf(account, published, NAMED);

  function refused(account: NetworkAccount): Answer | null {
    if (account.facts?.noReading === true) return fault("insufficientPermissions");
    return spent(account) ? fault("quotaExceeded") : null;
  }

  function channel(account: NetworkAccount, query: URLSearchParams): NetworkAccount | undefined {
    if (query.get("mine") === "true") return account;
    const handle = query.get("forHandle")?.replace(/^@/, "").toLowerCase();
    return [...accounts()].find(({ externalId, username }) =>
      handle === undefined ? externalId === query.get("id") : username?.toLowerCase() === handle,
    );
  }

  return {
    channels(account: NetworkAccount, { query }: Incoming): Answer {
      const no = refused(account);
      if (no) return no;
      const found = channel(account, query);
      const items = found
        ? [{ id: found.externalId, contentDetails: { relatedPlaylists: { uploads: uploadsOf(found) } } }]
        : [];
      return { status: 200, body: { kind: "youtube#channelListResponse", ...(items.length > 0 ? { items } : {}) } };
    },

    playlistItems(account: NetworkAccount, { query }: Incoming): Answer {
      const no = refused(account);
      if (no) return no;
      const owner = [...accounts()].find((one) => uploadsOf(one) === query.get("playlistId"));
      const posts = owner ? shelf(owner) : [];
      if (posts.length === 0) return fault("playlistNotFound");
      const size = Math.min(Number(query.get("maxResults") ?? 5), 50);
      const token = query.get("pageToken");
      const start = token === null ? 0 : Number(Buffer.from(token, "base64url").toString());
      if (!Number.isInteger(start)) return fault("invalidPageToken");
      const page = posts.slice(start, start + size);
      const next = start + size < posts.length ? Buffer.from(String(start + size)).toString("base64url") : null;
      const items = page.map(({ id }) => ({ kind: "youtube#playlistItem", contentDetails: { videoId: id } }));
      const pageInfo = { totalResults: posts.length, resultsPerPage: size };
      return { status: 200, body: { items, pageInfo, ...(next ? { nextPageToken: next } : {}) } };
    },

    /** Videos that were never uploaded through this stand-in; null when the question is about those that were. */
    videos(account: NetworkAccount, { query }: Incoming): Answer | null {
      if (!/\bstatistics\b/.test(query.get("part") ?? "")) return null;
      const no = refused(account);
      if (no) return no;
      const ids = (query.get("id") ?? "").split(",");
      if (ids.length > 50) return fault("invalidFilters");
      const known = new Map([...accounts()].flatMap((one) => shelf(one).map((post) => [post.id, post] as const)));
      const items = ids.flatMap((id) => known.get(id) ?? []).map(resource);
      return { status: 200, body: { kind: "youtube#videoListResponse", items } };
    },
  };
}

/** Statistics are strings of digits; shares and saves are not told. */
function resource({ id, at, caption, seconds, metrics }: LibraryPost) {
  return {
    kind: "youtube#video",
    id,
    snippet: {
      publishedAt: at.toISOString().replace(/\.\d{3}Z$/, "Z"),
      title: caption,
      thumbnails: { high: { url: `https://i.ytimg.com/vi/${id}/hqdefault.jpg` } },
    },
    contentDetails: { duration: `PT${seconds >= 60 ? `${Math.floor(seconds / 60)}M` : ""}${seconds % 60}S` },
    status: { privacyStatus: "public" },
    statistics: {
      viewCount: String(metrics.views),
      likeCount: String(metrics.likes),
      commentCount: String(metrics.comments),
    },
  };
}
