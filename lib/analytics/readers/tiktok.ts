// TikTok's Display API: the account's own public videos, newest first. It does not tell how often one was saved.
import { call, pick, pickList, pickNumber, pickString } from "../../platforms/http.ts";
import { expectOk } from "../../platforms/tiktok/errors.ts";
import { countOf, instantOf, linkOf, type Reader, type SeenPost, textOf } from "./reader.ts";

const FIELDS =
  "id,create_time,cover_image_url,share_url,video_description,title,duration,like_count,comment_count,share_count,view_count";
const PAGE = 20;

export const tiktok: Reader = {
  sees: "own",

  async read(job, cursor) {
    const reply = await call(job, {
      network: "TikTok",
      method: "POST",
      url: `${job.network.baseUrl}/v2/video/list/`,
      query: { fields: FIELDS },
      bearer: job.connection.accessToken,
      json: { max_count: PAGE, ...(cursor === null ? {} : { cursor: Number(cursor) }) },
    });
    expectOk(job, reply);
    const next = pickString(reply.body, "data", "cursor");
    const more = pick(reply.body, "data", "has_more") === true && next !== null && next !== cursor;
    return { posts: pickList(reply.body, "data", "videos").flatMap(seen), cursor: more ? next : null };
  },
};

function seen(video: unknown): SeenPost[] {
  const id = pickString(video, "id");
  const publishedAt = instantOf(pickNumber(video, "create_time"));
  if (!id || !publishedAt) return [];
  return [
    {
      platformPostId: id,
      kind: "video",
      publishedAt,
      caption: textOf(pickString(video, "video_description") ?? pickString(video, "title")),
      permalink: linkOf(pickString(video, "share_url")),
      thumbnailUrl: linkOf(pickString(video, "cover_image_url")),
      durationSeconds: pickNumber(video, "duration") === null ? null : countOf(pick(video, "duration")),
      views: countOf(pick(video, "view_count")),
      likes: countOf(pick(video, "like_count")),
      comments: countOf(pick(video, "comment_count")),
      shares: countOf(pick(video, "share_count")),
      saves: 0,
    },
  ];
}
