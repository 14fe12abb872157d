// Instagram's Graph API: the account's own media with their insights. It does not tell how long a video is.
import { call, isObject, pick, pickList, pickString, type Reply } from "../../platforms/http.ts";
import { INSTAGRAM } from "../../platforms/instagram/rules.ts";
import { expectSuccess, metaError } from "../../platforms/meta.ts";
import { failureOf } from "../../platforms/platform.ts";
import { countOf, instantOf, linkOf, type Reader, type ReadJob, type SeenPost, textOf } from "./reader.ts";

const FIELDS = "id,caption,media_type,permalink,thumbnail_url,media_url,timestamp,like_count,comments_count";
const INSIGHTS = "views,shares,saved";
const PAGE = 25;
/** The media was posted before the account became a professional one: it has no insights, now and for ever. */
const NEVER_MEASURED = 2108006;
/** Insights that are asked for one by one go out this many at a time. */
const AT_ONCE = 5;

export const instagram: Reader = {
  sees: "own",

  async read(job, cursor) {
    const { body, measured } = await page(job, cursor);
    const next = pickString(body, "paging", "next") ? pickString(body, "paging", "cursors", "after") : null;
    const media = pickList(body, "data").filter(isObject);
    const insights = measured ? media.map((one) => pick(one, "insights")) : await insightsOf(job, media);
    return { posts: media.flatMap((one, at) => seen(one, insights[at])), cursor: next === cursor ? null : next };
  },
};

/** One medium without insights makes Instagram refuse those of the whole page; then it is read without any. */
async function page(job: ReadJob, cursor: string | null): Promise<{ body: Reply["body"]; measured: boolean }> {
  const path = `${job.connection.externalId}/media`;
  const query = { limit: String(PAGE), ...(cursor === null ? {} : { after: cursor }) };
  const whole = await get(job, path, { ...query, fields: `${FIELDS},insights.metric(${INSIGHTS})` });
  if (metaError(whole.body)?.subcode !== NEVER_MEASURED) {
    expectSuccess(job, whole, { prefix: "ig", irreversible: false });
    return { body: whole.body, measured: true };
  }
  const bare = await get(job, path, { ...query, fields: FIELDS });
  expectSuccess(job, bare, { prefix: "ig", irreversible: false });
  return { body: bare.body, measured: false };
}

async function insightsOf(job: ReadJob, media: Record<string, unknown>[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let at = 0; at < media.length; at += AT_ONCE) {
    found.push(...(await Promise.all(media.slice(at, at + AT_ONCE).map((one) => insightsOfOne(job, one)))));
  }
  return found;
}

async function insightsOfOne(job: ReadJob, medium: Record<string, unknown>): Promise<unknown> {
  const reply = await get(job, `${pickString(medium, "id")}/insights`, { metric: INSIGHTS });
  if (metaError(reply.body)?.subcode === NEVER_MEASURED) return null;
  try {
    expectSuccess(job, reply, { prefix: "ig", irreversible: false });
  } catch (error) {
    // A single medium that Instagram will not speak of does not keep the others from being read.
    if (failureOf(error)?.class === "content") return null;
    throw error;
  }
  return reply.body;
}

function get(job: ReadJob, path: string, query: Record<string, string>): Promise<Reply> {
  const url = `${job.network.baseUrl}/${INSTAGRAM.version}/${path}`;
  return call(job, { network: "Instagram", method: "GET", url, query, bearer: job.connection.accessToken });
}

const KINDS: Record<string, SeenPost["kind"]> = { IMAGE: "image", CAROUSEL_ALBUM: "carousel" };

function seen(medium: Record<string, unknown>, insights: unknown): SeenPost[] {
  const id = pickString(medium, "id");
  const publishedAt = instantOf(medium.timestamp);
  if (!id || !publishedAt) return [];
  const kind = KINDS[pickString(medium, "media_type") ?? ""] ?? "video";
  return [
    {
      platformPostId: id,
      kind,
      publishedAt,
      caption: textOf(medium.caption),
      permalink: linkOf(medium.permalink),
      thumbnailUrl: linkOf(medium.thumbnail_url ?? (kind === "video" ? null : medium.media_url)),
      durationSeconds: null,
      views: insight(insights, "views"),
      likes: countOf(medium.like_count),
      comments: countOf(medium.comments_count),
      shares: insight(insights, "shares"),
      saves: insight(insights, "saved"),
    },
  ];
}

function insight(insights: unknown, name: string): number {
  const found = pickList(insights, "data").find((one) => pickString(one, "name") === name);
  const [first] = pickList(found, "values");
  return countOf(pick(first, "value") ?? pick(found, "total_value", "value"));
}
