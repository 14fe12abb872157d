// A stand-in for the operator's fleet of hosted accounts: signed hand-overs, each delivery once, signed calls back.
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  type Answer,
  fetchMedia,
  type Incoming,
  jsonOf,
  type Network,
  nextId,
  type Pace,
  type PublishedItem,
} from "./network.ts";

const CALLS = ["hand_over", "status"] as const;

/** Codes that go away by themselves. */
const PASSING = ["device_offline"];

interface Handover {
  delivery_id: string;
  platform: string;
  account: string;
  username: string;
  caption: string;
  media: { type: "video"; video: { url: string } } | { type: "slideshow"; images: { url: string }[] };
  settings: Record<string, unknown>;
  music_url?: string;
  callback_url?: string;
}

interface Delivery {
  handover: Handover;
  takenAt: number;
  reads: number;
  item: PublishedItem | null;
  error: { code: string; message: string; retryable: boolean } | null;
  /** Under way at most once. */
  finishing: Promise<void> | null;
}

export function hostedStandIn(pace: Pace, secret: string): Network {
  const deliveries = new Map<string, Delivery>();
  const published: PublishedItem[] = [];

  function take(request: Incoming): Answer {
    const body = jsonOf(request);
    const wrong = faultOf(body);
    if (wrong) return fault(422, "invalid_delivery", wrong);
    const handover = body as unknown as Handover;
    const known = deliveries.get(handover.delivery_id);
    if (known && !known.error) return { status: 200, body: told(known) };
    const delivery: Delivery = { handover, takenAt: Date.now(), reads: 0, item: null, error: null, finishing: null };
    deliveries.set(handover.delivery_id, delivery);
    // A timer may fire a moment early.
    setTimeout(() => void advance(delivery, delivery.takenAt + pace.processingMs), pace.processingMs).unref();
    return { status: 202, body: told(delivery) };
  }

  async function look(id: string): Promise<Answer> {
    const delivery = deliveries.get(id);
    if (!delivery) return fault(404, "delivery_unknown", "This delivery was never handed over.");
    await advance(delivery);
    delivery.reads += 1;
    return { status: 200, body: told(delivery) };
  }

  async function advance(delivery: Delivery, at = Date.now()): Promise<void> {
    if (at < delivery.takenAt + pace.processingMs || delivery.reads < pace.processingPolls) return;
    delivery.finishing ??= finish(delivery);
    await delivery.finishing;
  }

  async function finish(delivery: Delivery): Promise<void> {
    const { handover } = delivery;
    const urls = handover.media.type === "video" ? [handover.media.video.url] : handover.media.images.map(urlOf);
    const media = await Promise.all(urls.map(async (url) => ({ url, ...(await fetchMedia(url)) })));
    // Told to fail before this, or meanwhile.
    if (delivery.error) return;
    if (media.some(({ ok }) => !ok)) delivery.error = errorOf("media_unreachable");
    else publish(delivery, media);
    if (handover.callback_url) await callBack(handover.callback_url, handover.delivery_id);
  }

  function publish(delivery: Delivery, media: PublishedItem["media"]): void {
    const { platform, account, username, media: sent, caption, settings } = delivery.handover;
    const id = nextId("7");
    delivery.item = {
      id,
      account,
      kind: sent.type,
      caption,
      media: media.map(({ url, type, bytes }) => ({ url, type, bytes }) as PublishedItem["media"][number]),
      settings,
      at: new Date().toISOString(),
      url: `https://www.${platform}.com/@${username}/${id}`,
    };
    published.push(delivery.item);
  }

  async function callBack(url: string, deliveryId: string): Promise<void> {
    const body = JSON.stringify({ delivery_id: deliveryId });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = { "x-timestamp": timestamp, "x-signature": signatureOf(timestamp, body) };
    // Whoever does not hear it asks by itself.
    await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  }

  function signatureOf(timestamp: string, body: string): string {
    return `v1=${createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")}`;
  }

  /** The age of the timestamp is left alone: tests move the publisher's clock by hours. */
  function isSigned({ headers, body }: Incoming): boolean {
    const given = Buffer.from(headers.get("x-signature") ?? "");
    const wanted = Buffer.from(signatureOf(headers.get("x-timestamp") ?? "", body.toString("utf8")));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  function told({ handover, takenAt, item, error }: Delivery) {
    const { delivery_id } = handover;
    if (error) return { delivery_id, status: "failed", error };
    if (item) return { delivery_id, status: "published", post_id: item.id, url: item.url };
    return { delivery_id, status: Date.now() < takenAt + pace.processingMs / 2 ? "queued" : "processing" };
  }

  /** Told to fail, it never came out. */
  function failNow(delivery: Delivery, code: string): Answer {
    const at = delivery.item ? published.indexOf(delivery.item) : -1;
    if (at >= 0) published.splice(at, 1);
    Object.assign(delivery, { item: null, error: errorOf(code) });
    return { status: 200, body: told(delivery) };
  }

  return {
    platform: "hosted",
    calls: CALLS,
    published,
    register: () => undefined,
    accountOf: (request) => {
      const { account } = deliveries.get(idOf(request) ?? "")?.handover ?? jsonOf(request);
      return typeof account === "string" ? account : null;
    },

    callOf(request) {
      if (request.method === "POST" && request.path === "/deliveries") return "hand_over";
      return request.method === "GET" && idOf(request) ? "status" : null;
    },

    async answer(call, request) {
      if (!isSigned(request))
        return fault(401, "invalid_signature", "X-Signature does not fit X-Timestamp and the body.");
      return call === "hand_over" ? take(request) : look(idOf(request) ?? "");
    },

    refusal(kind, code, request) {
      if (kind === "429") return { ...fault(429, "rate_limited", "Too many calls."), headers: { "retry-after": "30" } };
      if (kind === "500") return fault(500, "internal_error", "Scripted failure.");
      const delivery = deliveries.get(idOf(request) ?? "");
      return delivery
        ? failNow(delivery, code ?? "refused")
        : { status: 422, body: { error: errorOf(code ?? "refused") } };
    },
  };
}

function urlOf({ url }: { url: string }): string {
  return url;
}

function idOf({ path }: Incoming): string | null {
  return /^\/deliveries\/([0-9a-f-]{36})$/.exec(path)?.[1] ?? null;
}

function errorOf(code: string) {
  return { code, message: `The fleet says ${code}`, retryable: PASSING.includes(code) };
}

function fault(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message, retryable: false } } };
}

function faultOf(body: Record<string, unknown>): string | null {
  const known = ["delivery_id", "platform", "account", "username", "caption", "media", "settings"];
  const missing = known.filter((name) => body[name] === undefined || body[name] === null);
  if (missing.length > 0) return `Missing: ${missing.join(", ")}.`;
  const unknown = Object.keys(body).filter((name) => ![...known, "music_url", "callback_url"].includes(name));
  return unknown.length > 0 ? `Unknown: ${unknown.join(", ")}.` : null;
}
