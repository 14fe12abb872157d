// TikTok's Display API: the account's own public videos, newest first. It does not report saves.
import { pick, pickList, pickNumber, pickString } from "../../platforms/http.ts";
import { request } from "../../platforms/tiktok/api.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import { parseCount, parseInstant, type Reader, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const FIELDS =
  "id,create_time,cover_image_url,share_url,video_description,title,duration,like_count,comment_count,share_count,view_count";
const PAGE_SIZE = 20;

export const tiktok: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const json = { max_count: PAGE_SIZE, ...(cursor === null ? {} : { cursor: Number(cursor) }) };
    const { body } = await request(job, "POST", "video/list/", { query: { fields: FIELDS }, json });
    const next = pickString(body, "data", "cursor");
    const more = pick(body, "data", "has_more") === true && next !== null && next !== cursor;
    return { posts: pickList(body, "data", "videos").flatMap(toPosts), cursor: more ? next : null };
  },
};

function toPosts(video: unknown): FetchedPost[] {
  const id = pickString(video, "id");
  const publishedAt = parseInstant(pickNumber(video, "create_time"));
  if (!id || !publishedAt) return [];
  return [
    {
      platformPostId: id,
      kind: "video",
      publishedAt,
      caption: sanitizeText(pickString(video, "video_description") ?? pickString(video, "title")),
      permalink: sanitizeLink(pickString(video, "share_url")),
      thumbnailUrl: sanitizeLink(pickString(video, "cover_image_url")),
      durationSeconds: parseCount(pick(video, "duration")),
      views: parseCount(pick(video, "view_count")),
      likes: parseCount(pick(video, "like_count")),
      comments: parseCount(pick(video, "comment_count")),
      shares: parseCount(pick(video, "share_count")),
      saves: null,
    },
  ];
}
