// Fetching callers' URLs: private addresses are rejected before any request, at create and again when publishing.
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { type FetchPolicy, getForbiddenReason, probeUrl, safeFetch } from "../../lib/services/safe-fetch.ts";
import { createTestPublisher } from "../support/harness.ts";
import {
  connectAccount,
  createDelivery,
  NOON,
  publishUntilDone,
  readDelivery,
  type ScriptedResponse,
  scriptNetwork,
} from "./scripted-network.ts";

const PUBLIC = "93.184.216.34";

const DNS_RECORDS: Record<string, string[]> = {
  "media.example.com": [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946"],
  "moved.example.net": [PUBLIC],
  "rebound.example.com": ["10.0.0.7"],
  "half.example.com": [PUBLIC, "192.168.0.1"],
  "six.example.com": ["fd00::1"],
  "mapped.example.com": ["::ffff:127.0.0.1"],
  "nat64.example.com": ["64:ff9b::7f00:1"],
  "shared.example.com": ["100.64.0.1"],
};

const resolveHost = async (host: string) => DNS_RECORDS[host] ?? [];

const redirect =
  (location: string): ScriptedResponse =>
  () =>
    new Response(null, { status: 302, headers: { location } });

function createFetchPolicy(script: Record<string, ScriptedResponse[]>) {
  const network = scriptNetwork(script);
  const policy: FetchPolicy = { fetch: network.fetch, resolveHost, allowedHosts: [] };
  return { network, policy };
}

test.each([
  "http://127.0.0.1/a.mp4",
  "http://2130706433/a.mp4",
  "http://0x7f000001/a.mp4",
  "http://0177.0.0.1/a.mp4",
  "http://127.1/a.mp4",
  "http://0.0.0.0/a.mp4",
  "http://169.254.169.254/latest/meta-data",
  "http://100.64.0.1/a.mp4",
  "http://[::1]/a.mp4",
  "http://[::127.0.0.1]/a.mp4",
  "http://[::ffff:10.0.0.1]/a.mp4",
  "http://[64:ff9b::7f00:1]/a.mp4",
  "http://[2002:7f00:1::]/a.mp4",
  "http://[fe80::1]/a.mp4",
  "http://[fd00::1]/a.mp4",
  "http://[2001:db8::1]/a.mp4",
  "http://localhost/a.mp4",
  "http://LOCALHOST./a.mp4",
  "http://intranet/a.mp4",
  "http://printer.local/a.mp4",
  "http://metadata.google.internal/computeMetadata",
  "http://metadata.google.internal../computeMetadata",
  "http://rebound.example.com/a.mp4",
  "http://rebound.example.com./a.mp4",
  "http://half.example.com/a.mp4",
  "http://six.example.com/a.mp4",
  "http://mapped.example.com/a.mp4",
  "http://nat64.example.com/a.mp4",
  "http://shared.example.com/a.mp4",
])("%s is not public and receives no request", async (url) => {
  const { network, policy } = createFetchPolicy({});
  await expect(safeFetch(policy, url, {})).rejects.toThrow(/is not public/);
  expect(network.calls).toEqual([]);
});

test.each([
  ["https://unknown.example.com/a.mp4", /does not resolve/],
  ["https://user:secret@media.example.com/a.mp4", /user name or password/],
  ["https://user@media.example.com/a.mp4", /user name or password/],
  ["ftp://media.example.com/a.mp4", /must use http or https/],
  ["file:///etc/passwd", /must use http or https/],
])("%s is rejected with a reason", async (url, reason) => {
  const { network, policy } = createFetchPolicy({});
  await expect(safeFetch(policy, url, {})).rejects.toThrow(reason);
  expect(network.calls).toEqual([]);
});

test("public hosts are allowed, a private one only if listed with its port", async () => {
  const why = (url: string, allowedHosts: string[]) => getForbiddenReason({ resolveHost, allowedHosts }, new URL(url));
  expect(await why("https://media.example.com/a.mp4", [])).toBeNull();
  expect(await why(`http://${PUBLIC}:8080/a.mp4`, [])).toBeNull();
  expect(await why("http://[2606:2800:220:1:248:1893:25c8:1946]/a.mp4", [])).toBeNull();
  expect(await why("http://127.0.0.1:9000/a.mp4", ["127.0.0.1:9000"])).toBeNull();
  expect(await why("http://127.0.0.1:9001/a.mp4", ["127.0.0.1:9000"])).toMatch(/not public/);
});

test("three redirects are followed and checked, a fourth is rejected", async () => {
  const hops = (count: number) => [
    ...Array.from({ length: count }, (_, at) => redirect(at % 2 ? "/next" : "https://media.example.com/other")),
    {},
  ];
  const three = createFetchPolicy({ "media.example.com": hops(3) });
  expect((await safeFetch(three.policy, "https://media.example.com/a", {})).status).toBe(200);
  expect(three.network.calls.every(({ init }) => init.redirect === "manual")).toBe(true);
  const four = createFetchPolicy({ "media.example.com": hops(4) });
  await expect(safeFetch(four.policy, "https://media.example.com/a", {})).rejects.toThrow(/more than 3/);
  expect(four.network.calls).toHaveLength(4);
});

test.each([
  "http://169.254.169.254/latest",
  "http://[::127.0.0.1]/",
  "http://rebound.example.com/",
  "http://user:secret@moved.example.net/",
  "ftp://moved.example.net/",
  "//localhost/a",
])("a redirect to %s is not followed", async (location) => {
  const { network, policy } = createFetchPolicy({ "media.example.com": [redirect(location)] });
  await expect(safeFetch(policy, "https://media.example.com/a.mp4", {})).rejects.toThrow();
  expect(network.calls.map(({ url }) => url.hostname)).toEqual(["media.example.com"]);
});

const respondTyped =
  (status: number, type: string, length: string): ScriptedResponse =>
  () =>
    new Response(null, { status, headers: { "content-type": type, "content-length": length } });

test("a URL is probed by its first KiB, and by HEAD when a GET fails", async () => {
  const ranged: ScriptedResponse = () =>
    new Response("x".repeat(2_000), {
      status: 206,
      headers: { "content-type": "Video/MP4; x=y", "content-range": "bytes 0-1023/4711" },
    });
  const { network, policy } = createFetchPolicy({ "media.example.com": [ranged] });
  const probed = await probeUrl(policy, "https://media.example.com/a.mp4");
  expect(probed).toMatchObject({ contentType: "video/mp4", bytes: 4711 });
  expect(probed.head).toHaveLength(1024);
  expect(network.calls.map(({ init }) => new Headers(init.headers).get("range"))).toEqual(["bytes=0-1023"]);
  const refused = createFetchPolicy({
    "media.example.com": [respondTyped(405, "text/plain", "0"), respondTyped(200, "video/mp4", "12")],
  });
  expect(await probeUrl(refused.policy, "https://media.example.com/a.mp4")).toEqual({
    contentType: "video/mp4",
    bytes: 12,
    head: new Uint8Array(),
  });
  expect(refused.network.calls.map(({ init }) => init.method ?? "GET")).toEqual(["GET", "HEAD"]);
});

const BYTES = "the video";
const VIDEO = { type: "video" as const, url: "https://media.example.com/a.mp4" };
const SIZED = { media: { ...VIDEO, bytes: BYTES.length } };

/** A fake TikTok upload that accepts any bytes. */
function fakeTikTok(media: ScriptedResponse) {
  const uploaded: string[] = [];
  const upload: ScriptedResponse = async ({ init }) => {
    uploaded.push(await new Response(init.body as ReadableStream).text());
    return new Response(null, { status: 201 });
  };
  const status = [
    { data: { status: "PROCESSING_UPLOAD", uploaded_bytes: 0 } },
    { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } },
  ];
  const served: ScriptedResponse = () =>
    new Response(BYTES, { status: 206, headers: { "content-range": `bytes 0-${BYTES.length - 1}/${BYTES.length}` } });
  const network = scriptNetwork({
    "media.example.com": [media],
    "moved.example.net": [served],
    upload: [upload],
    status,
  });
  return { network, uploaded };
}

test("when publishing a redirect to a public address is followed, and its bytes are uploaded", async () => {
  const id = await createDelivery(await connectAccount("tiktok"), NOON, SIZED);
  const { network, uploaded } = fakeTikTok(redirect("https://moved.example.net/a.mp4"));
  const row = await publishUntilDone(createTestPublisher(NOON, { fetch: network.fetch, resolveHost }), id);
  expect([row.status, uploaded]).toEqual(["posted", [BYTES]]);
});

test("when publishing a redirect to a private address is not followed, and nothing is uploaded", async () => {
  const id = await createDelivery(await connectAccount("tiktok"), NOON, SIZED);
  const { network, uploaded } = fakeTikTok(redirect("http://169.254.169.254/latest"));
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch, resolveHost }).services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "retry", error_code: "media_unreachable" });
  expect([network.countCalls("media.example.com"), network.countCalls("169.254.169.254"), uploaded]).toEqual([
    1,
    0,
    [],
  ]);
});

test("when publishing a host that now resolves to a private address receives no request", async () => {
  // Without a known size the driver requests it first, which is checked as well.
  for (const media of [SIZED.media, VIDEO]) {
    const id = await createDelivery(await connectAccount("tiktok"), NOON, { media });
    const { network, uploaded } = fakeTikTok({});
    const rebound = createTestPublisher(NOON, { fetch: network.fetch, resolveHost: async () => ["10.0.0.7"] });
    await publishDue(rebound.services, [id]);
    expect(await readDelivery(id)).toMatchObject({ status: "retry", error_code: "media_unreachable" });
    expect([network.countCalls("media.example.com"), uploaded]).toEqual([0, []]);
  }
});
