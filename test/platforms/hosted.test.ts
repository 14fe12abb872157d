// The hosted publisher over HTTP: the handover and its signature, and the outcome of each response.
import { createHmac } from "node:crypto";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHostedPublisher } from "../../lib/platforms/hosted/driver.ts";
import type { Handle, Job, MediaFile } from "../../lib/platforms/platform.ts";
import { type Networks, startNetworks } from "../local/networks/server.ts";
import { type MediaHost, startMediaHost } from "./media-host.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { withShortTimeout } from "./test-network.ts";

const SECRET = "hosted-publisher-secret";
const publisher = createHostedPublisher({ platform: "tiktok", username: "daily.maker", callbackUrl: null });

describe("hosted", () => {
  let networks: Networks;
  let media: MediaHost;
  /** Unique per test, because the fake may still process deliveries of the previous test. */
  let account: string;
  const published = () => (networks.published().hosted ?? []).filter((item) => item.account === account);
  beforeAll(async () => {
    networks = await startNetworks({ hostedSecret: SECRET, timing: { processingMs: 20 } });
    media = await startMediaHost({ "clip.mp4": 9_000, "a.jpg": 4_000, "b.jpg": 5_000 });
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

  /** A job with a unique delivery id. */
  function job(change: Partial<Job> = {}): Job {
    return {
      deliveryId: newId(),
      content: { caption: "A clip", media: { type: "video", video: file("clip.mp4") }, musicUrl: null, settings: {} },
      connection: { accountId: "account", externalId: account, accessToken: "" },
      network: { baseUrl: `${networks.url}/hosted`, clientId: "", clientSecret: SECRET },
      fetch: (input, init) => fetch(input, init),
      fetchMedia: () => Promise.reject(new Error("the publisher is given URLs, not bytes")),
      now: () => new Date(),
      ...change,
    };
  }

  /** Records the requests that are sent. */
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
  ) => networks.addScript({ network: "hosted", answer, call, ...(code ? { code } : {}) });

  /** A response that the fake never gives. */
  const answering = (status: number, body: unknown): typeof fetch =>
    (async () => new Response(JSON.stringify(body), { status })) as typeof fetch;

  test("start creates nothing, and a handed-over post is published once with its permalink", async () => {
    const one = job();
    expect(await publisher.start(one)).toEqual({});
    expect(await publisher.poll(one, {})).toEqual({ state: "ready" });
    const sent = await publisher.publish(one, {});
    expect(sent).toEqual({ state: "sent", handle: { delivery_id: one.deliveryId } });
    const answer = await pollUntilDone((handle) => publisher.poll(one, handle), { delivery_id: one.deliveryId });
    const [item] = published();
    expect(published()).toHaveLength(1);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(item?.url).toMatch(/^https:\/\/www\.tiktok\.com\/@daily\.maker\//);
    expect(item).toMatchObject({ account, caption: "A clip", media: [{ url: media.url("clip.mp4") }] });
  });

  test("the handover contains delivery, account and media, and is signed with a timestamp", async () => {
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
    await createHostedPublisher({ platform: "tiktok", username: "daily.maker", callbackUrl }).publish(one, {});
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

  test("a status request is signed over an empty body", async () => {
    const { sent, fetch: tap } = tapped();
    await publisher.reconcile(job({ fetch: tap }), {});
    const [call] = sent;
    const digest = createHmac("sha256", SECRET)
      .update(`${call?.headers.get("x-timestamp")}.`)
      .digest("hex");
    expect([call?.method, call?.body, call?.headers.get("x-signature")]).toEqual(["GET", "", `v1=${digest}`]);
  });

  test("handing over the same delivery again publishes it once", async () => {
    const one = job();
    for (let times = 0; times < 3; times++) expect((await publisher.publish(one, {})).state).toBe("sent");
    await pollUntilDone((handle) => publisher.poll(one, handle), { delivery_id: one.deliveryId });
    expect((await publisher.publish(one, {})).state).toBe("sent");
    expect(published()).toHaveLength(1);
  });

  test("reconcile distinguishes a lost response from a request that was not received", async () => {
    const [after, before] = [job(), job()];
    behave("drop_after", "hand_over");
    expect((await expectFailure(publisher.publish(after, {}))).class).toBe("unanswered");
    expect((await pollUntilDone((handle) => publisher.reconcile(after, handle), {})).state).toBe("published");
    behave("drop_before", "hand_over");
    expect((await expectFailure(publisher.publish(before, {}))).class).toBe("unanswered");
    expect(await publisher.reconcile(before, {})).toEqual({ state: "not_published", handle: {} });
    expect(published()).toHaveLength(1);
  });

  test.each([
    ["500", { class: "unanswered", code: "http_500" }],
    ["429", { class: "rate_limited", code: "http_429" }],
    ["stall", { class: "unanswered", code: "timeout" }],
  ] as const)("a handover that ends in %s has the matching failure class", async (answer, expected) => {
    behave(answer, "hand_over");
    const failed = await expectFailure(publisher.publish(withShortTimeout(job()), {}));
    expect(failed).toMatchObject(expected);
    if (answer === "429") expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now() + 20_000);
  });

  test.each([
    ["video_too_dark", "content", /rejected the post: The hosted publisher returned video_too_dark\./],
    ["account_suspended", "account", /cannot publish to this account: .* Ask the operator/],
    ["device_offline", "transient", /could not publish the post: The hosted publisher returned device_offline/],
  ])("%s is of class %s, rejected at once or failed later", async (code, expected, message) => {
    behave("refuse", "hand_over", code);
    const rejected = await expectFailure(publisher.publish(job(), {}));
    expect(rejected).toMatchObject({ class: expected, code });
    expect(rejected.message).toMatch(message);
    expect(rejected.restart).toBeUndefined();

    for (const check of [publisher.poll, publisher.reconcile]) {
      const one = job();
      await publisher.publish(one, {});
      behave("refuse", "status", code);
      const verdict = await expectFailure(check(one, { delivery_id: one.deliveryId }));
      expect(verdict).toMatchObject({ class: expected, code, restart: true });
      expect(verdict.message).toMatch(message);
    }
    expect(published()).toHaveLength(0);
  });

  test("a failed delivery is restarted when it is handed over again", async () => {
    const one = job();
    await publisher.publish(one, {});
    behave("refuse", "status", "device_offline");
    await expectFailure(publisher.poll(one, { delivery_id: one.deliveryId }));
    expect((await publishToEnd(publisher, one)).state).toBe("published");
    expect(published()).toHaveLength(1);
  });

  test("media that the hosted publisher cannot fetch fails the delivery", async () => {
    const content = { ...job().content, media: { type: "video" as const, video: file("gone.mp4") } };
    const failed = await expectFailure(publishToEnd(publisher, job({ content })));
    expect(failed).toMatchObject({ class: "content", code: "media_unreachable", restart: true });
  });

  test("polling starts at 30 seconds and backs off to 5 minutes, for every status in progress", async () => {
    for (const status of ["queued", "processing"]) {
      const one = job({ fetch: answering(200, { status }) });
      let handle: Handle = { delivery_id: one.deliveryId };
      const waits: number[] = [];
      for (let asked = 0; asked < 6; asked++) {
        const seen = await publisher.poll(one, handle);
        if (seen.state !== "processing" || !seen.handle) throw new Error(`answered ${seen.state}`);
        waits.push(seen.afterMs / 1000);
        handle = seen.handle;
      }
      expect(waits).toEqual([30, 60, 120, 240, 300, 300]);
    }
  });

  test("a wrong secret, a wrong URL and an undocumented response are transient", async () => {
    const wrong = job({ network: { ...job().network, clientSecret: "another" } });
    expect(await expectFailure(publisher.publish(wrong, {}))).toMatchObject({
      class: "transient",
      code: "hosted_http_401",
    });
    expect(await expectFailure(publisher.reconcile(wrong, {}))).toMatchObject({
      class: "transient",
      code: "hosted_http_401",
    });
    const nowhere = job({ fetch: answering(404, "<h1>not here</h1>") });
    for (const asked of [publisher.publish(nowhere, {}), publisher.reconcile(nowhere, {})]) {
      expect(await expectFailure(asked)).toMatchObject({ class: "transient", code: "hosted_http_404" });
    }
    const odd = job({ fetch: answering(200, { status: "shipped" }) });
    expect((await expectFailure(publisher.reconcile(odd, {}))).class).toBe("unanswered");
    const moved = job({ fetch: answering(303, {}) });
    expect(await expectFailure(publisher.publish(moved, {}))).toMatchObject({ class: "unanswered", code: "http_303" });
  });

  test("a handed-over delivery that is no longer known may be published, so it is transient", async () => {
    const one = job();
    const failed = await expectFailure(publisher.poll(one, { delivery_id: one.deliveryId }));
    expect(failed).toMatchObject({ class: "transient", code: "hosted_delivery_unknown" });
    expect(failed.restart).toBeUndefined();
  });

  test("an invalid permalink is ignored", async () => {
    const one = job({ fetch: answering(200, { status: "published", post_id: "7", url: "see the app" }) });
    const seen = await publisher.poll(one, { delivery_id: one.deliveryId });
    expect(seen).toEqual({ state: "published", platformPostId: "7", url: null });
  });

  test("the fake rejects requests with a wrong or missing signature", async () => {
    const headers = { "x-timestamp": "1", "x-signature": `v1=${"0".repeat(64)}` };
    for (const init of [{}, { headers }]) {
      const answer = await fetch(`${networks.url}/hosted/deliveries/${newId()}`, init);
      expect(answer.status).toBe(401);
    }
  });

  test("polling a hosted post before publish sends no request", async () => {
    const { sent, fetch: tap } = tapped();
    await startUntilReady(publisher, job({ fetch: tap }));
    expect(sent).toEqual([]);
  });
});
