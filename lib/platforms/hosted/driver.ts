// Hosted accounts of every network: a post is handed over to the operator's own fleet, which publishes it and is asked how it went.
import { call, pick, pickString, type Reply, unanswered } from "../http.ts";
import {
  type Carrier,
  failure,
  type Job,
  type MediaFile,
  type Platform,
  type Processing,
  type Published,
} from "../platform.ts";
import { signed } from "./signature.ts";

const FLEET = "The fleet of hosted accounts";
const ASK_AFTER_MS = 30_000;
const ASK_AFTER_AT_MOST_MS = 5 * 60_000;

/** What the fleet is told of the account, and where it may report that it is done; null when it can not reach us. */
export interface Told {
  platform: Platform;
  username: string;
  callbackUrl: string | null;
}

/**
 * The fleet knows a delivery by its id: to hand it over again changes nothing while it is under way or out, and begins
 * it anew when it had failed there. So nothing has to be made before, and a lost answer can be repeated.
 */
export function hosted(told: Told): Carrier {
  return {
    start: async () => ({}),

    async poll(job, handle) {
      if (typeof handle.delivery_id !== "string") return { state: "ready" };
      const seen = await lookUp(job, handle.asked);
      if (seen) return seen;
      // It may well be out, so this is no verdict.
      throw failure({
        class: "transient",
        code: "hosted_delivery_unknown",
        message: `${FLEET} took the post and does not know it any more.`,
      });
    },

    async publish(job) {
      const reply = await send(job, "POST", "/deliveries", handoverOf(told, job));
      const taken = reply.status === 200 || reply.status === 202;
      if (taken) return { state: "sent", handle: { delivery_id: job.deliveryId } };
      // Nothing that the fleet is meant to say, so whether it took the post is open.
      if (reply.status < 400) throw unanswered(FLEET, `http_${reply.status}`);
      throw refusalOf(reply);
    },

    async reconcile(job, handle) {
      const seen = await lookUp(job, handle.asked);
      return seen ?? { state: "not_published", handle: {} };
    },

    async refresh() {
      throw failure({ class: "auth", code: "reconnect_required", message: "A hosted account has no token to trade." });
    },
  };
}

/** What became of the delivery; null when the fleet never took it. A failed one is thrown as the verdict that it is. */
async function lookUp(job: Job, asked: unknown): Promise<Processing | Published | null> {
  const reply = await send(job, "GET", `/deliveries/${job.deliveryId}`, null);
  // Its own words tell the fleet's "unknown" from the 404 of a wrong address.
  if (reply.status === 404 && pickString(reply.body, "error", "code")) return null;
  if (reply.status !== 200) throw misunderstood(reply.status);
  const status = pickString(reply.body, "status");
  if (status === "published") return publishedAs(reply);
  if (status === "failed") throw failure({ ...explain(pick(reply.body, "error")), restart: true });
  if (status === "queued" || status === "processing") return askLater(job, typeof asked === "number" ? asked : 0);
  throw unanswered(FLEET, "status_unreadable");
}

function publishedAs({ body }: Reply): Published {
  const url = pickString(body, "url");
  return {
    state: "published",
    platformPostId: pickString(body, "post_id"),
    url: url && URL.canParse(url) ? url : null,
  };
}

function askLater(job: Job, asked: number): Processing {
  const afterMs = Math.min(ASK_AFTER_AT_MOST_MS, ASK_AFTER_MS * 2 ** asked);
  return { state: "processing", afterMs, handle: { delivery_id: job.deliveryId, asked: asked + 1 } };
}

function send(job: Job, method: "GET" | "POST", path: string, content: object | null): Promise<Reply> {
  const body = content && JSON.stringify(content);
  const headers = signed(job.network.clientSecret, body ?? "", job.now());
  return call(job, {
    network: FLEET,
    method,
    url: `${job.network.baseUrl}${path}`,
    headers: body === null ? headers : { ...headers, "content-type": "application/json" },
    body,
    irreversible: method === "POST",
  });
}

function handoverOf({ platform, username, callbackUrl }: Told, { deliveryId, connection, content }: Job) {
  return {
    delivery_id: deliveryId,
    platform,
    account: connection.externalId,
    username,
    caption: content.caption,
    media: mediaOf(content.media),
    settings: content.settings,
    ...(content.musicUrl ? { music_url: content.musicUrl } : {}),
    ...(callbackUrl ? { callback_url: callbackUrl } : {}),
  };
}

function mediaOf(media: Job["content"]["media"]) {
  if (!media) return null;
  if (media.type === "video") return { type: media.type, video: fileOf(media.video) };
  return { type: media.type, images: media.images.map(fileOf) };
}

function fileOf({ url, mimeType, bytes, durationMs, width, height }: MediaFile) {
  return { url, mime_type: mimeType, bytes, duration_ms: durationMs, width, height };
}

function refusalOf({ status, body }: Reply) {
  // A refused signature is the operator's to mend, like an address where no fleet is: neither is about the post.
  if (status === 401 || !pickString(body, "error", "code")) return misunderstood(status);
  return failure(explain(pick(body, "error")));
}

function misunderstood(status: number) {
  return failure({
    class: "transient",
    code: `hosted_http_${status}`,
    message: `${FLEET} does not take our calls (HTTP ${status}), which its operator has to mend. We try again by ourselves.`,
  });
}

/** The fleet's `{code, message, retryable}`; codes that begin with `account_` are about the account, others about the post. */
function explain(error: unknown) {
  const code = pickString(error, "code") ?? "hosted_failed";
  const said = sentence(pickString(error, "message") ?? "it gave no reason");
  if (pick(error, "retryable") === true) {
    const message = `${FLEET} could not publish the post for now: ${said} We try again by ourselves.`;
    return { class: "transient" as const, code, message };
  }
  if (code.startsWith("account_")) {
    const message = `${FLEET} can not publish to this account: ${said} Ask the operator to mend the account, then retry the post.`;
    return { class: "account" as const, code, message };
  }
  const message = `${FLEET} refused the post: ${said} Change the post, or create it again.`;
  return { class: "content" as const, code, message };
}

function sentence(text: string): string {
  const short = text.trim().slice(0, 300);
  return /[.!?]$/.test(short) ? short : `${short}.`;
}
