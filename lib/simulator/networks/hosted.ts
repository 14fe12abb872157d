// Simulates the hosted publisher: signed requests, idempotent deliveries, signed callbacks.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { NetworkContext } from "./context.ts";
import { type Endpoint, type PathParams, routeCalls } from "./endpoints.ts";
import {
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readJsonObject,
  type SimulatedNetwork,
} from "./network.ts";

/** Codes of temporary errors. */
const RETRYABLE_CODES = ["device_offline"];

interface HandedFile {
  url: string;
  alt_text?: string;
}

interface DeliveryRequest {
  delivery_id: string;
  platform: string;
  account: string;
  username: string;
  caption: string;
  media: { type: "video"; video: HandedFile } | { type: "slideshow"; images: HandedFile[] };
  settings: Record<string, unknown>;
  cover?: Record<string, unknown>;
  music_url?: string;
  callback_url?: string;
}

interface Delivery {
  request: DeliveryRequest;
  acceptedAt: number;
  reads: number;
  /** The id of its post. */
  postId: string | null;
  error: { code: string; message: string; retryable: boolean } | null;
}

export interface HostedOptions {
  /** Signs requests and callbacks; null where requests come from nobody else. */
  secret: string | null;
  /** Calls back when a delivery is finished; without it the result is only polled. */
  callbacks?: {
    later(afterMs: number, run: () => void): void;
    send(url: string, body: string, headers: Record<string, string>): Promise<unknown>;
  };
}

export function simulateHosted(context: NetworkContext, { secret, callbacks }: HostedOptions): SimulatedNetwork {
  const deliveries = context.map<Delivery>("deliveries");
  const published = context.list<PublishedItem>("published");
  const disconnected = context.map<true>("disconnected accounts");
  /** So that a delivery is finished once, although a callback and a request may want to at the same time. */
  const finishing = new Map<string, Promise<void>>();

  function acceptDelivery(request: NetworkRequest): NetworkResponse {
    const body = readJsonObject(request);
    const bodyError = findBodyError(body);
    if (bodyError) return errorResponse(422, "invalid_delivery", bodyError);
    const deliveryRequest = body as unknown as DeliveryRequest;
    if (disconnected.has(deliveryRequest.account)) {
      return errorResponse(422, "account_disconnected", "The account is not connected to the publisher any more.");
    }
    const known = deliveries.get(deliveryRequest.delivery_id);
    if (known && !known.error) return { status: 200, body: toStatus(known) };
    const delivery: Delivery = {
      request: deliveryRequest,
      acceptedAt: context.now(),
      reads: 0,
      postId: null,
      error: null,
    };
    deliveries.set(deliveryRequest.delivery_id, delivery);
    finishing.delete(deliveryRequest.delivery_id);
    // The due time is passed because a timer may fire slightly early.
    const due = delivery.acceptedAt + context.timing.processingMs;
    callbacks?.later(context.timing.processingMs, () => void finishIfDue(delivery, due));
    return { status: 202, body: toStatus(delivery) };
  }

  async function getStatus(_request: NetworkRequest, { id = "" }: PathParams): Promise<NetworkResponse> {
    const delivery = deliveries.get(id);
    if (!delivery) return errorResponse(404, "delivery_unknown", "Unknown delivery id.");
    await finishIfDue(delivery);
    delivery.reads += 1;
    return { status: 200, body: toStatus(delivery) };
  }

  async function finishIfDue(delivery: Delivery, at = context.now()): Promise<void> {
    if (at < delivery.acceptedAt + context.timing.processingMs || delivery.reads < context.timing.processingPolls)
      return;
    if (delivery.postId || delivery.error) return;
    const { delivery_id: id } = delivery.request;
    const running = finishing.get(id) ?? finish(delivery);
    finishing.set(id, running);
    await running;
  }

  async function finish(delivery: Delivery): Promise<void> {
    const { request } = delivery;
    const urls = request.media.type === "video" ? [request.media.video.url] : request.media.images.map(getUrl);
    const media = await Promise.all(
      urls.map(async (url) => ({
        url,
        ...(await context.fetchMedia(url, request.media.type === "video" ? "video" : "image")),
      })),
    );
    // A script may have failed the delivery meanwhile.
    if (delivery.error) return;
    if (media.some(({ ok }) => !ok)) delivery.error = buildError("media_unreachable");
    else publish(delivery, media);
    if (request.callback_url) await sendCallback(request.callback_url, request.delivery_id);
  }

  function publish(delivery: Delivery, media: PublishedItem["media"]): void {
    const { platform, account, username, media: input, caption, settings, cover } = delivery.request;
    const files = input.type === "video" ? [input.video] : input.images;
    const id = context.nextId("7");
    delivery.postId = id;
    published.push({
      id,
      account,
      kind: input.type,
      caption,
      media: media.map(({ url, type, bytes }, at): PublishedItem["media"][number] => {
        const alt = files[at]?.alt_text;
        return {
          ...(url ? { url } : {}),
          ...(type ? { type } : {}),
          ...(bytes ? { bytes } : {}),
          ...(alt ? { alt_text: alt } : {}),
        };
      }),
      settings: { ...settings, ...(cover ? { cover } : {}) },
      at: new Date(context.now()).toISOString(),
      url: `https://www.${platform}.com/@${username}/${id}`,
    });
  }

  async function sendCallback(url: string, deliveryId: string): Promise<void> {
    const body = JSON.stringify({ delivery_id: deliveryId });
    const timestamp = String(Math.floor(context.now() / 1000));
    const headers = { "x-timestamp": timestamp, "x-signature": sign(timestamp, body) };
    // A lost callback is compensated by polling.
    await callbacks?.send(url, body, headers).catch(() => undefined);
  }

  function sign(timestamp: string, body: string): string {
    return `v1=${createHmac("sha256", secret ?? "")
      .update(`${timestamp}.`)
      .update(body)
      .digest("hex")}`;
  }

  /** Ignores the age of the timestamp, because tests move the publisher's clock by hours. */
  function isSigned({ headers, body }: NetworkRequest): boolean {
    if (secret === null) return true;
    const received = Buffer.from(headers.get("x-signature") ?? "");
    const expected = Buffer.from(sign(headers.get("x-timestamp") ?? "", body.toString("utf8")));
    return received.length === expected.length && timingSafeEqual(received, expected);
  }

  const signed =
    (answer: Endpoint["answer"]): Endpoint["answer"] =>
    (request, params) =>
      isSigned(request)
        ? answer(request, params)
        : errorResponse(401, "invalid_signature", "X-Signature does not match X-Timestamp and the body.");

  function toStatus({ request, acceptedAt, postId, error }: Delivery) {
    const { delivery_id } = request;
    const item = published.find(({ id }) => id === postId);
    if (error) return { delivery_id, status: "failed", error };
    if (postId) return { delivery_id, status: "published", post_id: postId, url: item?.url ?? null };
    return {
      delivery_id,
      status: context.now() < acceptedAt + context.timing.processingMs / 2 ? "queued" : "processing",
    };
  }

  /** Fails the delivery and removes its published post. */
  function failDelivery(delivery: Delivery, code: string): NetworkResponse {
    const at = published.findIndex(({ id }) => id === delivery.postId);
    if (at >= 0) published.splice(at, 1);
    Object.assign(delivery, { postId: null, error: buildError(code) });
    return { status: 200, body: toStatus(delivery) };
  }

  return {
    platform: "hosted",
    ...routeCalls({
      hand_over: { route: "POST /deliveries", answer: signed(acceptDelivery) },
      status: { route: "GET /deliveries/:id", answer: signed(getStatus) },
    }),
    published,
    register: () => undefined,
    disconnect: (externalId) => void disconnected.set(externalId, true),
    findAccount: (request) => {
      const { account } = deliveries.get(parseDeliveryId(request) ?? "")?.request ?? readJsonObject(request);
      return typeof account === "string" ? { externalId: account } : null;
    },

    failProcessing(request) {
      const delivery = deliveries.get(parseDeliveryId(request) ?? "");
      return delivery ? failDelivery(delivery, "media_not_processed") : null;
    },

    buildScriptedError(kind, code, request) {
      if (kind === "429")
        return { ...errorResponse(429, "rate_limited", "Too many calls."), headers: { "retry-after": "30" } };
      if (kind === "500") return errorResponse(500, "internal_error", "Something went wrong.");
      const delivery = deliveries.get(parseDeliveryId(request) ?? "");
      return delivery
        ? failDelivery(delivery, code ?? "refused")
        : { status: 422, body: { error: buildError(code ?? "refused") } };
    },
  };
}

function getUrl({ url }: { url: string }): string {
  return url;
}

function parseDeliveryId({ path }: NetworkRequest): string | null {
  return /^\/deliveries\/([0-9a-f-]{36})$/.exec(path)?.[1] ?? null;
}

function buildError(code: string) {
  return { code, message: `The hosted publisher returned ${code}`, retryable: RETRYABLE_CODES.includes(code) };
}

function errorResponse(status: number, code: string, message: string): NetworkResponse {
  return { status, body: { error: { code, message, retryable: false } } };
}

function findBodyError(body: Record<string, unknown>): string | null {
  const known = ["delivery_id", "platform", "account", "username", "caption", "media", "settings"];
  const missing = known.filter((name) => body[name] === undefined || body[name] === null);
  if (missing.length > 0) return `Missing: ${missing.join(", ")}.`;
  const unknown = Object.keys(body).filter((name) => ![...known, "music_url", "callback_url", "cover"].includes(name));
  return unknown.length > 0 ? `Unknown: ${unknown.join(", ")}.` : null;
}
