// The fleet of hosted accounts over HTTP: what is handed over and how it is signed, and what becomes of each answer.
import { createHmac } from "node:crypto";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hosted } from "../../lib/platforms/hosted/driver.ts";
import type { Handle, Job, MediaFile } from "../../lib/platforms/platform.ts";
import { type Networks, startNetworks } from "../local/networks/server.ts";
import { failureFrom, hasty, publishAll, settle, startReady } from "./contract.ts";
import { type MediaHost, startMedia } from "./media.ts";

const SECRET = "the-secret-of-the-fleet";
const fleet = hosted({ platform: "tiktok", username: "daily.maker", callbackUrl: null });

describe("hosted", () => {
  let networks: Networks;
  let media: MediaHost;
  /** Each test's own, since the fleet may still be at work for the one before. */
  let account: string;
  const published = () => (networks.published().hosted ?? []).filter((item) => item.account === account);
  beforeAll(async () => {
    networks = await startNetworks({ fleetSecret: SECRET, pace: { processingMs: 20 } });
    media = await startMedia({ "clip.mp4": 9_000, "a.jpg": 4_000, "b.jpg": 5_000 });
  });
  afterAll(() => Promise.all([networks.close(), media.close()]));
  beforeEach(async () => {
    account = newId();
    await fetch(`${networks.url}/_behave`, { method: "DELETE" });
  });

  const file = (name: string): MediaFile => ({
    url: media.url(name),
    mimeType: "video/mp4",
    bytes: null,
    durationMs: 20_000,
    width: 1080,
    height: 1920,
  });

  /** A delivery of its own. */
  function job(change: Partial<Job> = {}): Job {
    return {
      deliveryId: newId(),
      content: { caption: "A clip", media: { type: "video", video: file("clip.mp4") }, musicUrl: null, settings: {} },
      connection: { accountId: "account", externalId: account, accessToken: "" },
      network: { baseUrl: `${networks.url}/hosted`, clientId: "", clientSecret: SECRET },
      fetch: (input, init) => fetch(input, init),
      fetchMedia: () => Promise.reject(new Error("the fleet is given URLs, not bytes")),
      now: () => new Date(),
      ...change,
    };
  }

  /** What goes over the wire, kept while it is sent. */
  function tapped() {
    const sent: { url: string; method: string; headers: Headers; body: string }[] = [];
    const tap = async (input: string | URL | Request, init: RequestInit = {}) => {
      const { method = "GET", headers, body } = init;
      sent.push({ url: String(input), method, headers: new Headers(headers), body: String(body ?? "") });
      return fetch(input, init);
    };
    return { sent, fetch: tap as typeof fetch };
  }

  const behave = (
    answer: "refuse" | "429" | "500" | "stall" | "drop_before" | "drop_after",
    call: string,
    code?: string,
  ) => networks.behave({ network: "hosted", answer, call, ...(code ? { code } : {}) });

  /** An answer of the fleet that its stand-in never gives. */
  const answering = (status: number, body: unknown): typeof fetch =>
    (async () => new Response(JSON.stringify(body), { status })) as typeof fetch;

  test("nothing is made before, and a handed-over post comes out once with its address", async () => {
    const one = job();
    expect(await fleet.start(one)).toEqual({});
    expect(await fleet.poll(one, {})).toEqual({ state: "ready" });
    const sent = await fleet.publish(one, {});
    expect(sent).toEqual({ state: "sent", handle: { delivery_id: one.deliveryId } });
    const answer = await settle((handle) => fleet.poll(one, handle), { delivery_id: one.deliveryId });
    const [item] = published();
    expect(published()).toHaveLength(1);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(item?.url).toMatch(/^https:\/\/www\.tiktok\.com\/@daily\.maker\//);
    expect(item).toMatchObject({ account, caption: "A clip", media: [{ url: media.url("clip.mp4") }] });
  });

  test("the hand-over names delivery, account and media, and is signed with its time", async () => {
    const { sent, fetch: tap } = tapped();
    const now = new Date("2026-03-01T12:00:00.900Z");
    const callbackUrl = "https://api.example.com/api/partner/v1/hosted/callback";
    const images = [file("a.jpg"), file("b.jpg")];
    const content = {
      caption: "Pictures",
      media: { type: "slideshow" as const, images },
      musicUrl: "https://www.tiktok.com/music/song-1",
      settings: { privacy_level: "SELF_ONLY" },
    };
    const one = job({ fetch: tap, now: () => now, content });
    await hosted({ platform: "tiktok", username: "daily.maker", callbackUrl }).publish(one, {});
    const [call] = sent;
    expect(call).toMatchObject({ url: `${networks.url}/hosted/deliveries`, method: "POST" });
    const facts = { mime_type: "video/mp4", bytes: null, duration_ms: 20_000, width: 1080, height: 1920 };
    expect(JSON.parse(call?.body ?? "")).toEqual({
      delivery_id: one.deliveryId,
      platform: "tiktok",
      account,
      username: "daily.maker",
      caption: "Pictures",
      media: { type: "slideshow", images: images.map(({ url }) => ({ url, ...facts })) },
      settings: { privacy_level: "SELF_ONLY" },
      music_url: "https://www.tiktok.com/music/song-1",
      callback_url: callbackUrl,
    });
    const timestamp = String(Date.UTC(2026, 2, 1, 12) / 1000);
    const digest = createHmac("sha256", SECRET).update(`${timestamp}.${call?.body}`).digest("hex");
    expect(call?.headers.get("content-type")).toBe("application/json");
    expect(call?.headers.get("x-timestamp")).toBe(timestamp);
    expect(call?.headers.get("x-signature")).toBe(`v1=${digest}`);
  });

  test("a question is signed over an empty body", async () => {
    const { sent, fetch: tap } = tapped();
    await fleet.reconcile(job({ fetch: tap }), {});
    const [call] = sent;
    const digest = createHmac("sha256", SECRET)
      .update(`${call?.headers.get("x-timestamp")}.`)
      .digest("hex");
    expect([call?.method, call?.body, call?.headers.get("x-signature")]).toEqual(["GET", "", `v1=${digest}`]);
  });

  test("handed over again it is the same delivery: out once", async () => {
    const one = job();
    for (let times = 0; times < 3; times++) expect((await fleet.publish(one, {})).state).toBe("sent");
    await settle((handle) => fleet.poll(one, handle), { delivery_id: one.deliveryId });
    expect((await fleet.publish(one, {})).state).toBe("sent");
    expect(published()).toHaveLength(1);
  });

  test("a lost answer after the effect is told from one before it", async () => {
    const [after, before] = [job(), job()];
    behave("drop_after", "hand_over");
    expect((await failureFrom(fleet.publish(after, {}))).class).toBe("unanswered");
    expect((await settle((handle) => fleet.reconcile(after, handle), {})).state).toBe("published");
    behave("drop_before", "hand_over");
    expect((await failureFrom(fleet.publish(before, {}))).class).toBe("unanswered");
    expect(await fleet.reconcile(before, {})).toEqual({ state: "not_published", handle: {} });
    expect(published()).toHaveLength(1);
  });

  test.each([
    ["500", { class: "unanswered", code: "http_500" }],
    ["429", { class: "rate_limited", code: "http_429" }],
    ["stall", { class: "unanswered", code: "timeout" }],
  ] as const)("a hand-over that ends in %s is told as such", async (answer, expected) => {
    behave(answer, "hand_over");
    const failed = await failureFrom(fleet.publish(hasty(job()), {}));
    expect(failed).toMatchObject(expected);
    if (answer === "429") expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now() + 20_000);
  });

  test.each([
    ["video_too_dark", "content", /refused the post: The fleet says video_too_dark\./],
    ["account_suspended", "account", /can not publish to this account: .* Ask the operator/],
    ["device_offline", "transient", /for now: .* We try again by ourselves\./],
  ])("%s is of class %s, refused at once or failed later", async (code, expected, message) => {
    behave("refuse", "hand_over", code);
    const refused = await failureFrom(fleet.publish(job(), {}));
    expect(refused).toMatchObject({ class: expected, code });
    expect(refused.message).toMatch(message);
    expect(refused.restart).toBeUndefined();

    for (const ask of [fleet.poll, fleet.reconcile]) {
      const one = job();
      await fleet.publish(one, {});
      behave("refuse", "status", code);
      const verdict = await failureFrom(ask(one, { delivery_id: one.deliveryId }));
      expect(verdict).toMatchObject({ class: expected, code, restart: true });
      expect(verdict.message).toMatch(message);
    }
    expect(published()).toHaveLength(0);
  });

  test("what failed at the fleet begins anew when it is handed over again", async () => {
    const one = job();
    await fleet.publish(one, {});
    behave("refuse", "status", "device_offline");
    await failureFrom(fleet.poll(one, { delivery_id: one.deliveryId }));
    expect((await publishAll(fleet, one)).state).toBe("published");
    expect(published()).toHaveLength(1);
  });

  test("media that the fleet can not fetch fails the delivery", async () => {
    const content = { ...job().content, media: { type: "video" as const, video: file("gone.mp4") } };
    const failed = await failureFrom(publishAll(fleet, job({ content })));
    expect(failed).toMatchObject({ class: "content", code: "media_unreachable", restart: true });
  });

  test("the fleet is asked in 30 seconds, then later and later up to 5 minutes, however it says that it is at it", async () => {
    for (const status of ["queued", "processing"]) {
      const one = job({ fetch: answering(200, { status }) });
      let handle: Handle = { delivery_id: one.deliveryId };
      const waits: number[] = [];
      for (let asked = 0; asked < 6; asked++) {
        const seen = await fleet.poll(one, handle);
        if (seen.state !== "processing" || !seen.handle) throw new Error(`answered ${seen.state}`);
        waits.push(seen.afterMs / 1000);
        handle = seen.handle;
      }
      expect(waits).toEqual([30, 60, 120, 240, 300, 300]);
    }
  });

  test("another secret, a wrong address and words that nobody agreed on are no verdict on the post", async () => {
    const wrong = job({ network: { ...job().network, clientSecret: "another" } });
    expect(await failureFrom(fleet.publish(wrong, {}))).toMatchObject({ class: "transient", code: "hosted_http_401" });
    expect(await failureFrom(fleet.reconcile(wrong, {}))).toMatchObject({
      class: "transient",
      code: "hosted_http_401",
    });
    const nowhere = job({ fetch: answering(404, "<h1>not here</h1>") });
    for (const asked of [fleet.publish(nowhere, {}), fleet.reconcile(nowhere, {})]) {
      expect(await failureFrom(asked)).toMatchObject({ class: "transient", code: "hosted_http_404" });
    }
    const odd = job({ fetch: answering(200, { status: "shipped" }) });
    expect((await failureFrom(fleet.reconcile(odd, {}))).class).toBe("unanswered");
    const moved = job({ fetch: answering(303, {}) });
    expect(await failureFrom(fleet.publish(moved, {}))).toMatchObject({ class: "unanswered", code: "http_303" });
  });

  test("a delivery that the fleet took and forgot may be out, so that is no verdict either", async () => {
    const one = job();
    const failed = await failureFrom(fleet.poll(one, { delivery_id: one.deliveryId }));
    expect(failed).toMatchObject({ class: "transient", code: "hosted_delivery_unknown" });
    expect(failed.restart).toBeUndefined();
  });

  test("an address that is none is left out", async () => {
    const one = job({ fetch: answering(200, { status: "published", post_id: "7", url: "see the app" }) });
    const seen = await fleet.poll(one, { delivery_id: one.deliveryId });
    expect(seen).toEqual({ state: "published", platformPostId: "7", url: null });
  });

  test("the stand-in takes no call with a wrong signature or without one", async () => {
    const headers = { "x-timestamp": "1", "x-signature": `v1=${"0".repeat(64)}` };
    for (const init of [{}, { headers }]) {
      const answer = await fetch(`${networks.url}/hosted/deliveries/${newId()}`, init);
      expect(answer.status).toBe(401);
    }
  });

  test("waiting for a hosted post to be ready takes no call at all", async () => {
    const { sent, fetch: tap } = tapped();
    await startReady(fleet, job({ fetch: tap }));
    expect(sent).toEqual([]);
  });
});
