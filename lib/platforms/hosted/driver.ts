// Hosted publisher: posts of hosted accounts are handed over to the operator's own publisher, which is polled for the result.

import type { Platform } from "../../shared/platforms.ts";
import { type NetworkResponse, pick, pickString, sendRequest, unanswered } from "../http.ts";
import { getImages } from "../media.ts";
import {
  type Cover,
  failure,
  type Job,
  type MediaFile,
  type Processing,
  type Published,
  type Publisher,
} from "../platform.ts";
import { signHeaders } from "./signature.ts";

const HOSTED_PUBLISHER = "The hosted publisher";
const POLL_MS = 30_000;
const MAX_POLL_MS = 5 * 60_000;

/** The account in the handover, and the callback URL; null when this service has no public URL. */
export interface HostedAccount {
  platform: Platform;
  username: string;
  callbackUrl: string | null;
}

/**
 * The hosted publisher identifies a delivery by its id: handing it over again has no effect while it is in progress or
 * published, and restarts it after a failure. So `start` creates nothing, and a handover can be repeated safely.
 */
export function createHostedPublisher(account: HostedAccount): Publisher {
  return {
    start: async () => ({}),

    async poll(job, handle) {
      if (typeof handle.delivery_id !== "string") return { state: "ready" };
      const result = await fetchStatus(job, handle.asked);
      if (result) return result;
      // The post may be published, so this does not end the delivery.
      throw failure({
        class: "transient",
        code: "hosted_delivery_unknown",
        message: `${HOSTED_PUBLISHER} accepted the post but has no record of it.`,
      });
    },

    async publish(job) {
      const response = await sendSigned(job, "POST", "/deliveries", toHandover(account, job));
      const accepted = response.status === 200 || response.status === 202;
      if (accepted) return { state: "sent", handle: { delivery_id: job.deliveryId } };
      // Not part of the protocol, so it is open whether the post was accepted.
      if (response.status < 400) throw unanswered(HOSTED_PUBLISHER, `http_${response.status}`);
      throw toHandoverFailure(response);
    },

    async reconcile(job, handle) {
      const result = await fetchStatus(job, handle.asked);
      return result ?? { state: "not_published", handle: {} };
    },

    async refresh() {
      throw failure({
        class: "auth",
        code: "reconnect_required",
        message: "A hosted account has no token to refresh.",
      });
    },
  };
}

/** Returns the status of the delivery; null when it is unknown there. Throws a failure with `restart` if it failed. */
async function fetchStatus(job: Job, polls: unknown): Promise<Processing | Published | null> {
  const response = await sendSigned(job, "GET", `/deliveries/${job.deliveryId}`, null);
  // The error code distinguishes an unknown delivery from the 404 of a wrong URL.
  if (response.status === 404 && pickString(response.body, "error", "code")) return null;
  if (response.status !== 200) throw protocolFailure(response.status);
  const status = pickString(response.body, "status");
  if (status === "published") return toPublished(response);
  if (status === "failed") throw failure({ ...toFailure(pick(response.body, "error")), restart: true });
  if (status === "queued" || status === "processing") return pollLater(job, typeof polls === "number" ? polls : 0);
  throw unanswered(HOSTED_PUBLISHER, "status_unreadable");
}

function toPublished({ body }: NetworkResponse): Published {
  const url = pickString(body, "url");
  return {
    state: "published",
    platformPostId: pickString(body, "post_id"),
    url: url && URL.canParse(url) ? url : null,
  };
}

function pollLater(job: Job, polls: number): Processing {
  const afterMs = Math.min(MAX_POLL_MS, POLL_MS * 2 ** polls);
  return { state: "processing", afterMs, handle: { delivery_id: job.deliveryId, asked: polls + 1 } };
}

function sendSigned(job: Job, method: "GET" | "POST", path: string, content: object | null): Promise<NetworkResponse> {
  const body = content && JSON.stringify(content);
  const headers = signHeaders(job.network.clientSecret, body ?? "", job.now());
  return sendRequest(job, {
    network: HOSTED_PUBLISHER,
    method,
    url: `${job.network.baseUrl}${path}`,
    headers: body === null ? headers : { ...headers, "content-type": "application/json" },
    body,
    irreversible: method === "POST",
  });
}

function toHandover({ platform, username, callbackUrl }: HostedAccount, { deliveryId, connection, content }: Job) {
  return {
    delivery_id: deliveryId,
    platform,
    account: connection.externalId,
    username,
    caption: content.caption,
    media: toMediaPayload(content.media),
    settings: content.settings,
    ...(content.cover ? { cover: toCoverPayload(content.cover) } : {}),
    ...(content.musicUrl ? { music_url: content.musicUrl } : {}),
    ...(callbackUrl ? { callback_url: callbackUrl } : {}),
  };
}

function toMediaPayload(media: Job["content"]["media"]) {
  if (!media) return null;
  if (media.type === "video") return { type: media.type, video: toFilePayload(media.video) };
  return { type: media.type, images: getImages(media).map(toFilePayload) };
}

function toFilePayload({ url, mimeType, bytes, durationMs, width, height, altText }: MediaFile) {
  const alt = altText ? { alt_text: altText } : {};
  return { url, mime_type: mimeType, bytes, duration_ms: durationMs, width, height, ...alt };
}

/** An image of its own, a frame of the video, or an image of the slideshow. */
function toCoverPayload({ image, timestampMs, index }: Cover) {
  if (image) return { url: image.url };
  return timestampMs === undefined ? { index } : { timestamp_ms: timestampMs };
}

function toHandoverFailure({ status, body }: NetworkResponse) {
  // A rejected signature or a wrong URL is a configuration error of the operator and not a result about the post.
  if (status === 401 || !pickString(body, "error", "code")) return protocolFailure(status);
  return failure(toFailure(pick(body, "error")));
}

function protocolFailure(status: number) {
  return failure({
    class: "transient",
    code: `hosted_http_${status}`,
    message: `${HOSTED_PUBLISHER} rejects our requests (HTTP ${status}), which its operator has to fix.`,
  });
}

/** Maps `{code, message, retryable}`; codes that begin with `account_` concern the account, others the post. */
function toFailure(error: unknown) {
  const code = pickString(error, "code") ?? "hosted_failed";
  const reason = toSentence(pickString(error, "message") ?? "No reason was given");
  if (pick(error, "retryable") === true) {
    const message = `${HOSTED_PUBLISHER} could not publish the post: ${reason}`;
    return { class: "transient" as const, code, message };
  }
  if (code.startsWith("account_")) {
    const message = `${HOSTED_PUBLISHER} cannot publish to this account: ${reason} Ask the operator to fix the account, then retry the post.`;
    return { class: "account" as const, code, message };
  }
  const message = `${HOSTED_PUBLISHER} rejected the post: ${reason} Change the post, or create it again.`;
  return { class: "content" as const, code, message };
}

function toSentence(text: string): string {
  const short = text.trim().slice(0, 300);
  return /[.!?]$/.test(short) ? short : `${short}.`;
}
