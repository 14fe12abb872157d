// YouTube Data API v3: the uploads of any public channel, one quota unit per call. It reports neither shares nor saves.
import { isObject, type NetworkResponse, pick, pickList, pickString } from "../../platforms/http.ts";
import { getFailure } from "../../platforms/platform.ts";
import { request } from "../../platforms/youtube/api.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import {
  parseCount,
  parseInstant,
  type Reader,
  type ReadJob,
  sanitizeLink,
  sanitizeText,
  unknownAccountFailure,
} from "./reader-contract.ts";

const PAGE_SIZE = "50";

export const youtube: Reader = {
  visibility: "public",

  async read(job, cursor) {
    const { playlist, pageToken } = cursor === null ? await findUploadsPlaylist(job) : parseCursor(cursor);
    const items = await fetchPlaylistPage(job, playlist, pageToken);
    if (!items) return { posts: [], cursor: null };
    const next = pickString(items, "nextPageToken");
    const ids = pickList(items, "items").flatMap((item) => pickString(item, "contentDetails", "videoId") ?? []);
    const posts = ids.length > 0 ? await fetchVideos(job, ids) : [];
    return { posts, cursor: next && next !== pageToken ? JSON.stringify([playlist, next]) : null };
  },
};

interface PlaylistPosition {
  playlist: string;
  pageToken?: string | undefined;
}

function parseCursor(cursor: string): PlaylistPosition {
  const [playlist = "", pageToken] = JSON.parse(cursor) as string[];
  return { playlist, pageToken };
}

async function findUploadsPlaylist(job: ReadJob): Promise<PlaylistPosition> {
  const { handle, own } = job;
  const response = await fetchData(job, "channels", {
    part: "contentDetails",
    ...(own ? { mine: "true" } : toChannelFilter(handle)),
  });
  const [channel] = pickList(response, "items");
  const playlist = pickString(channel, "contentDetails", "relatedPlaylists", "uploads");
  if (!playlist) throw unknownAccountFailure("YouTube", handle);
  return { playlist };
}

function toChannelFilter(handle: string): Record<string, string> {
  return /^UC[\w-]{22}$/.test(handle) ? { id: handle } : { forHandle: `@${handle}` };
}

/** Null when the playlist does not exist: a channel without uploads has none. */
async function fetchPlaylistPage(
  job: ReadJob,
  playlistId: string,
  pageToken: string | undefined,
): Promise<NetworkResponse["body"] | null> {
  const query = { part: "contentDetails", maxResults: PAGE_SIZE, playlistId, ...(pageToken ? { pageToken } : {}) };
  try {
    return await fetchData(job, "playlistItems", query);
  } catch (error) {
    if (getFailure(error)?.code === "playlistNotFound") return null;
    throw error;
  }
}

async function fetchVideos(job: ReadJob, ids: string[]): Promise<FetchedPost[]> {
  const query = { part: "snippet,contentDetails,statistics,status", id: ids.join(","), maxResults: PAGE_SIZE };
  const response = await fetchData(job, "videos", query);
  return pickList(response, "items").filter(isObject).flatMap(toPosts);
}

async function fetchData(job: ReadJob, what: string, query: Record<string, string>): Promise<NetworkResponse["body"]> {
  return (await request(job, "GET", `/youtube/v3/${what}`, { query })).body;
}

/** Private videos are skipped: they are not published. */
function toPosts(video: Record<string, unknown>): FetchedPost[] {
  const id = pickString(video, "id");
  const publishedAt = parseInstant(pickString(video, "snippet", "publishedAt"));
  if (!id || !publishedAt || pickString(video, "status", "privacyStatus") === "private") return [];
  return [
    {
      platformPostId: id,
      kind: "video",
      publishedAt,
      caption: sanitizeText(pickString(video, "snippet", "title")),
      permalink: `https://www.youtube.com/watch?v=${id}`,
      thumbnailUrl: sanitizeLink(pickString(video, "snippet", "thumbnails", "high", "url")),
      durationSeconds: parseDuration(pickString(video, "contentDetails", "duration")),
      views: parseCount(pick(video, "statistics", "viewCount")),
      // Left out when the owner hides ratings, or turns comments off: https://developers.google.com/youtube/v3/docs/videos.
      likes: parseCount(pick(video, "statistics", "likeCount")),
      comments: parseCount(pick(video, "statistics", "commentCount")),
      shares: null,
      saves: null,
    },
  ];
}

/** Seconds of an ISO 8601 duration such as PT1H2M3S. A stream that is live or announced has P0D, which is none. */
function parseDuration(duration: string | null): number | null {
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(duration ?? "");
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds || null;
}
