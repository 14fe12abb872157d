// Playlists of the simulated YouTube in pages, the videos in them, and the categories of videos.
import type { NetworkContext } from "./context.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readJsonObject,
} from "./network.ts";
import { CATEGORIES, errorResponse } from "./youtube-protocol.ts";

interface Playlist {
  id: string;
  title: string;
}

/** A channel may have others by the fact `playlists`. */
export const DEFAULT_PLAYLISTS: readonly Playlist[] = [
  { id: "PLlightandrooms", title: "Light and rooms" },
  { id: "PLbehindthescenes", title: "Behind the scenes" },
];

function listPlaylists({ facts }: NetworkAccount): readonly Playlist[] {
  return (facts?.playlists as Playlist[] | undefined) ?? DEFAULT_PLAYLISTS;
}

export function createPlaylists(context: NetworkContext, published: PublishedItem[]) {
  /** Ids of videos by playlist: YouTube takes a video twice. */
  const videoIds = context.map<string[]>("videos of playlists");

  function sendPage(rows: readonly object[], { query }: NetworkRequest): NetworkResponse {
    const size = Number(query.get("maxResults") ?? 5);
    const from = Number(query.get("pageToken") ?? 0);
    if (!(size >= 0 && size <= 50) || !Number.isInteger(from)) return errorResponse("invalidPageToken");
    const next = from + size < rows.length ? { nextPageToken: String(from + size) } : {};
    const pageInfo = { totalResults: rows.length, resultsPerPage: size };
    return { status: 200, body: { items: rows.slice(from, from + size), pageInfo, ...next } };
  }

  return {
    list(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
      if (request.query.get("mine") !== "true") return errorResponse("missingRequiredParameter");
      const rows = listPlaylists(account).map(({ id, title }) => ({
        kind: "youtube#playlist",
        id,
        snippet: { title },
        status: { privacyStatus: "public" },
      }));
      return sendPage(rows, request);
    },

    listCategories(_account: NetworkAccount, { query }: NetworkRequest): NetworkResponse {
      if (!/^[A-Z]{2}$/.test(query.get("regionCode") ?? "")) return errorResponse("missingRequiredParameter");
      const rows = Object.entries(CATEGORIES).map(([id, title]) => ({ id, snippet: { title, assignable: true } }));
      // YouTube lists categories that no video may have as well.
      const other = { id: "30", snippet: { title: "Movies", assignable: false } };
      return { status: 200, body: { kind: "youtube#videoCategoryListResponse", items: [...rows, other] } };
    },

    /** Null unless the request is about a video in a playlist of the channel. */
    listItems(account: NetworkAccount, { query }: NetworkRequest): NetworkResponse | null {
      const [playlistId, videoId] = [query.get("playlistId") ?? "", query.get("videoId")];
      if (!videoId) return null;
      if (!listPlaylists(account).some(({ id }) => id === playlistId)) return errorResponse("playlistNotFound");
      const rows = (videoIds.get(playlistId) ?? []).filter((id) => id === videoId);
      const items = rows.map((id) => ({ kind: "youtube#playlistItem", id: `${playlistId}.${id}` }));
      return { status: 200, body: { items, pageInfo: { totalResults: items.length, resultsPerPage: 5 } } };
    },

    insertItem(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
      const { snippet } = readJsonObject(request) as { snippet?: { playlistId?: string; resourceId?: VideoReference } };
      const playlistId = snippet?.playlistId ?? "";
      if (!listPlaylists(account).some(({ id }) => id === playlistId)) return errorResponse("playlistNotFound");
      const { kind, videoId = "" } = snippet?.resourceId ?? {};
      const item = published.find(({ id, account: owner }) => id === videoId && owner === account.externalId);
      if (kind !== "youtube#video" || !item) return errorResponse("videoNotFound");
      videoIds.set(playlistId, [...(videoIds.get(playlistId) ?? []), videoId]);
      item.settings.playlists = [...((item.settings.playlists as string[] | undefined) ?? []), playlistId];
      return { status: 200, body: { kind: "youtube#playlistItem", id: context.nextId("UEx"), snippet } };
    },
  };
}

interface VideoReference {
  kind?: string;
  videoId?: string;
}
