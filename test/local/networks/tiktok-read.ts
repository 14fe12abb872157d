// The reading half of TikTok's stand-in: the Display API's list of an account's public videos.
import { createReadQuota, digits, libraryOf, type Named } from "./library.ts";
import { type Answer, type Incoming, jsonOf, type NetworkAccount, type PublishedItem } from "./network.ts";
import { fault, ok, usernameOf } from "./tiktok-wire.ts";

const NAMED: Named = {
  id: (seed) => `73${digits(seed, 17)}`,
  url: (id, account) => `https://www.tiktok.com/@${usernameOf(account)}/video/${id}`,
  kinds: ["video"],
};

const PAGE_AT_MOST = 20;

export function tiktokReading(published: PublishedItem[]) {
  const spent = createReadQuota();

  return function listVideos(account: NetworkAccount, request: Incoming): Answer {
    if (account.facts?.noReading === true) return fault(401, "scope_not_authorized");
    if (spent(account)) return fault(429, "rate_limit_exceeded");
    const fields = (request.query.get("fields") ?? "").split(",").filter(Boolean);
    const { max_count: count = 10, cursor = Date.now() } = jsonOf(request);
    if (fields.length === 0 || !(Number(count) >= 1 && Number(count) <= PAGE_AT_MOST))
      return fault(400, "invalid_params");
    if (!Number.isInteger(cursor)) return fault(400, "invalid_params");
    const older = libraryOf(account, published, NAMED).filter(
      ({ at, kind }) => kind === "video" && at.getTime() < Number(cursor),
    );
    const page = older.slice(0, Number(count));
    const videos = page.map(({ id, at, caption, url, seconds, metrics }) => {
      const whole: Record<string, unknown> = {
        id,
        create_time: Math.floor(at.getTime() / 1000),
        cover_image_url: `https://p16-sign.tiktokcdn.com/${id}.jpeg?x-expires=${Date.now()}`,
        share_url: url,
        video_description: caption,
        title: caption.slice(0, 20),
        duration: seconds,
        like_count: metrics.likes,
        comment_count: metrics.comments,
        share_count: metrics.shares,
        view_count: metrics.views,
      };
      return Object.fromEntries(fields.filter((field) => field in whole).map((field) => [field, whole[field]]));
    });
    return ok({ videos, cursor: page.at(-1)?.at.getTime() ?? cursor, has_more: older.length > page.length });
  };
}
