// YouTube's Data API v3: the uploads of any public channel, one unit of quota per call. It tells neither shares nor saves.
import { call, isObject, pick, pickList, pickString, type Reply } from "../../platforms/http.ts";
import { failureOf } from "../../platforms/platform.ts";
import { expectOk } from "../../platforms/youtube/errors.ts";
import {
  countOf,
  instantOf,
  linkOf,
  type Reader,
  type ReadJob,
  type SeenPost,
  textOf,
  unknownAccount,
} from "./reader.ts";

const PAGE = "50";

export const youtube: Reader = {
  sees: "public",

  async read(job, cursor) {
    const { playlist, pageToken } = cursor === null ? await uploadsOf(job) : position(cursor);
    const items = await listOf(job, playlist, pageToken);
    if (!items) return { posts: [], cursor: null };
    const next = pickString(items, "nextPageToken");
    const ids = pickList(items, "items").flatMap((item) => pickString(item, "contentDetails", "videoId") ?? []);
    const posts = ids.length > 0 ? await videosOf(job, ids) : [];
    return { posts, cursor: next && next !== pageToken ? JSON.stringify([playlist, next]) : null };
  },
};

interface Position {
  playlist: string;
  pageToken?: string | undefined;
}

function position(cursor: string): Position {
  const [playlist = "", pageToken] = JSON.parse(cursor) as string[];
  return { playlist, pageToken };
}

async function uploadsOf(job: ReadJob): Promise<Position> {
  const { handle, own } = job;
  const reply = await get(job, "channels", { part: "contentDetails", ...(own ? { mine: "true" } : named(handle)) });
  const [channel] = pickList(reply, "items");
  const playlist = pickString(channel, "contentDetails", "relatedPlaylists", "uploads");
  if (!playlist) throw unknownAccount("YouTube", handle);
  return { playlist };
}

function named(handle: string): Record<string, string> {
  return /^UC[\w-]{22}$/.test(handle) ? { id: handle } : { forHandle: `@${handle}` };
}

/** Null when there is no such list: a channel that never uploaded has none. */
async function listOf(job: ReadJob, playlistId: string, pageToken: string | undefined): Promise<Reply["body"] | null> {
  const query = { part: "contentDetails", maxResults: PAGE, playlistId, ...(pageToken ? { pageToken } : {}) };
  try {
    return await get(job, "playlistItems", query);
  } catch (error) {
    if (failureOf(error)?.code === "playlistNotFound") return null;
    throw error;
  }
}

async function videosOf(job: ReadJob, ids: string[]): Promise<SeenPost[]> {
  const query = { part: "snippet,contentDetails,statistics,status", id: ids.join(","), maxResults: PAGE };
  const reply = await get(job, "videos", query);
  return pickList(reply, "items").filter(isObject).flatMap(seen);
}

async function get(job: ReadJob, what: string, query: Record<string, string>): Promise<Reply["body"]> {
  const url = `${job.network.baseUrl}/youtube/v3/${what}`;
  const reply = await call(job, { network: "YouTube", method: "GET", url, query, bearer: job.connection.accessToken });
  expectOk(job, reply);
  return reply.body;
}

/** What only its owner can see is not published. */
function seen(video: Record<string, unknown>): SeenPost[] {
  const id = pickString(video, "id");
  const publishedAt = instantOf(pickString(video, "snippet", "publishedAt"));
  if (!id || !publishedAt || pickString(video, "status", "privacyStatus") === "private") return [];
  return [
    {
      platformPostId: id,
      kind: "video",
      publishedAt,
      caption: textOf(pickString(video, "snippet", "title")),
      permalink: `https://www.youtube.com/watch?v=${id}`,
      thumbnailUrl: linkOf(pickString(video, "snippet", "thumbnails", "high", "url")),
      durationSeconds: secondsOf(pickString(video, "contentDetails", "duration")),
      views: countOf(pick(video, "statistics", "viewCount")),
      likes: countOf(pick(video, "statistics", "likeCount")),
      comments: countOf(pick(video, "statistics", "commentCount")),
      shares: 0,
      saves: 0,
    },
  ];
}

/** ISO 8601, such as PT1H2M3S. */
function secondsOf(duration: string | null): number | null {
  const parts = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(duration ?? "");
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}
