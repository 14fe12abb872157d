// Read access of the simulated TikTok: the Display API's list of an account's public videos.

import type { NetworkContext } from "./context.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readJsonObject,
} from "./network.ts";
import { buildPostHistory, createReadQuota, hashToDigits, type PostFormat } from "./post-history.ts";
import { errorResponse, getUsername, okResponse } from "./tiktok-protocol.ts";

const POST_FORMAT: PostFormat = {
  buildId: (seed) => `73${hashToDigits(seed, 17)}`,
  buildUrl: (id, account) => `https://www.tiktok.com/@${getUsername(account)}/video/${id}`,
  kinds: ["video"],
};

const MAX_PAGE_SIZE = 20;

export function createVideoList(context: NetworkContext, published: PublishedItem[]) {
  const consumeReadQuota = createReadQuota(context);

  return function listVideos(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    if (account.facts?.noReading === true) return errorResponse(401, "scope_not_authorized");
    if (consumeReadQuota(account)) return errorResponse(429, "rate_limit_exceeded");
    const fields = (request.query.get("fields") ?? "").split(",").filter(Boolean);
    const { max_count: count = 10, cursor = context.now() } = readJsonObject(request);
    if (fields.length === 0 || !(Number(count) >= 1 && Number(count) <= MAX_PAGE_SIZE))
      return errorResponse(400, "invalid_params");
    if (!Number.isInteger(cursor)) return errorResponse(400, "invalid_params");
    const older = buildPostHistory(context, account, published, POST_FORMAT).filter(
      ({ at, kind }) => kind === "video" && at.getTime() < Number(cursor),
    );
    const page = older.slice(0, Number(count));
    const videos = page.map(({ id, at, caption, url, thumbnail, seconds, metrics }) => {
      const allFields: Record<string, unknown> = {
        id,
        create_time: Math.floor(at.getTime() / 1000),
        cover_image_url: thumbnail ?? `https://p16-sign.tiktokcdn.com/${id}.jpeg?x-expires=${context.now()}`,
        share_url: url,
        video_description: caption,
        title: caption.slice(0, 20),
        duration: seconds,
        like_count: metrics.likes,
        comment_count: metrics.comments,
        share_count: metrics.shares,
        view_count: metrics.views,
      };
      return Object.fromEntries(fields.filter((field) => field in allFields).map((field) => [field, allFields[field]]));
    });
    return okResponse({ videos, cursor: page.at(-1)?.at.getTime() ?? cursor, has_more: older.length > page.length });
  };
}
