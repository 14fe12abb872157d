// Callers' URLs: which addresses are refused before a byte is asked for, at create and again when the post goes out.
import { expect, test } from "vitest";
import { fetchGuarded, type Guard, probe, whyForbidden } from "../../lib/guard.ts";
import { publishDue } from "../../lib/publishing/publisher.ts";
import { publisher } from "../harness.ts";
import { connected, NOON, network, rowOf, type Says, untilDone, waiting } from "./wire.ts";

const PUBLIC = "93.184.216.34";

const NAMES: Record<string, string[]> = {
  "media.example.com": [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946"],
  "moved.example.net": [PUBLIC],
  "rebound.example.com": ["10.0.0.7"],
  "half.example.com": [PUBLIC, "192.168.0.1"],
  "six.example.com": ["fd00::1"],
  "mapped.example.com": ["::ffff:127.0.0.1"],
  "nat64.example.com": ["64:ff9b::7f00:1"],
  "shared.example.com": ["100.64.0.1"],
};

const resolveHost = async (host: string) => NAMES[host] ?? [];

const redirect =
  (location: string): Says =>
  () =>
    new Response(null, { status: 302, headers: { location } });

function guarded(script: Record<string, Says[]>) {
  const wire = network(script);
  const guard: Guard = { fetch: wire.fetch, resolveHost, allowedHosts: [] };
  return { wire, guard };
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
])("%s is not public, and nothing is asked of it", async (url) => {
  const { wire, guard } = guarded({});
  await expect(fetchGuarded(guard, url, {})).rejects.toThrow(/is not public/);
  expect(wire.asked).toEqual([]);
});

test.each([
  ["https://nobody.example.com/a.mp4", /does not resolve/],
  ["https://user:secret@media.example.com/a.mp4", /user name or password/],
  ["https://user@media.example.com/a.mp4", /user name or password/],
  ["ftp://media.example.com/a.mp4", /only http and https/i],
  ["file:///etc/passwd", /only http and https/i],
])("%s is refused in words", async (url, words) => {
  const { wire, guard } = guarded({});
  await expect(fetchGuarded(guard, url, {})).rejects.toThrow(words);
  expect(wire.asked).toEqual([]);
});

test("public names and addresses pass; a private one only with its port on the list", async () => {
  const why = (url: string, allowedHosts: string[]) => whyForbidden({ resolveHost, allowedHosts }, new URL(url));
  expect(await why("https://media.example.com/a.mp4", [])).toBeNull();
  expect(await why(`http://${PUBLIC}:8080/a.mp4`, [])).toBeNull();
  expect(await why("http://[2606:2800:220:1:248:1893:25c8:1946]/a.mp4", [])).toBeNull();
  expect(await why("http://127.0.0.1:9000/a.mp4", ["127.0.0.1:9000"])).toBeNull();
  expect(await why("http://127.0.0.1:9001/a.mp4", ["127.0.0.1:9000"])).toMatch(/not public/);
});

test("three redirects are followed, each checked like the first address; a fourth is refused", async () => {
  const hops = (count: number) => [
    ...Array.from({ length: count }, (_, at) => redirect(at % 2 ? "/next" : "https://media.example.com/other")),
    {},
  ];
  const three = guarded({ "media.example.com": hops(3) });
  expect((await fetchGuarded(three.guard, "https://media.example.com/a", {})).status).toBe(200);
  expect(three.wire.asked.every(({ init }) => init.redirect === "manual")).toBe(true);
  const four = guarded({ "media.example.com": hops(4) });
  await expect(fetchGuarded(four.guard, "https://media.example.com/a", {})).rejects.toThrow(/more than 3/);
  expect(four.wire.asked).toHaveLength(4);
});

test.each([
  "http://169.254.169.254/latest",
  "http://[::127.0.0.1]/",
  "http://rebound.example.com/",
  "http://user:secret@moved.example.net/",
  "ftp://moved.example.net/",
  "//localhost/a",
])("a redirect to %s is not followed", async (location) => {
  const { wire, guard } = guarded({ "media.example.com": [redirect(location)] });
  await expect(fetchGuarded(guard, "https://media.example.com/a.mp4", {})).rejects.toThrow();
  expect(wire.asked.map(({ url }) => url.hostname)).toEqual(["media.example.com"]);
});

const typed =
  (status: number, type: string, length: string): Says =>
  () =>
    new Response(null, { status, headers: { "content-type": type, "content-length": length } });

test("a HEAD that is refused, or answers with another type, is asked again by a GET of one byte", async () => {
  const ranged: Says = () =>
    new Response("x", {
      status: 206,
      headers: { "content-type": "Video/MP4; x=y", "content-range": "bytes 0-0/4711" },
    });
  for (const head of [typed(200, "text/html", "10"), typed(405, "text/plain", "0"), typed(200, "image/png", "5")]) {
    const { wire, guard } = guarded({ "media.example.com": [head, ranged] });
    expect(await probe(guard, "https://media.example.com/a.mp4", "video/")).toEqual({
      contentType: "video/mp4",
      bytes: 4711,
    });
    expect(wire.asked.map(({ init }) => new Headers(init.headers).get("range"))).toEqual([null, "bytes=0-0"]);
  }
  const { wire, guard } = guarded({ "media.example.com": [typed(200, "video/mp4", "12")] });
  expect((await probe(guard, "https://media.example.com/a.mp4", "video/")).bytes).toBe(12);
  expect(wire.asked).toHaveLength(1);
});

const BYTES = "the video";
const VIDEO = { type: "video" as const, url: "https://media.example.com/a.mp4" };
const SIZED = { media: { ...VIDEO, bytes: BYTES.length } };

/** TikTok as far as bytes go: it takes whatever is put. */
function taking(media: Says) {
  const taken: string[] = [];
  const upload: Says = async ({ init }) => {
    taken.push(await new Response(init.body as ReadableStream).text());
    return new Response(null, { status: 201 });
  };
  const status = [
    { data: { status: "PROCESSING_UPLOAD", uploaded_bytes: 0 } },
    { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } },
  ];
  const served: Says = () =>
    new Response(BYTES, { status: 206, headers: { "content-range": `bytes 0-${BYTES.length - 1}/${BYTES.length}` } });
  const wire = network({ "media.example.com": [media], "moved.example.net": [served], upload: [upload], status });
  return { wire, taken };
}

test("at publish time a redirect to a public address is followed, and its bytes reach the network", async () => {
  const id = await waiting(await connected("tiktok"), NOON, SIZED);
  const { wire, taken } = taking(redirect("https://moved.example.net/a.mp4"));
  const row = await untilDone(publisher(NOON, { fetch: wire.fetch, resolveHost }), id);
  expect([row.status, taken]).toEqual(["posted", [BYTES]]);
});

test("at publish time a redirect to a private address is not followed, and nothing reaches the network", async () => {
  const id = await waiting(await connected("tiktok"), NOON, SIZED);
  const { wire, taken } = taking(redirect("http://169.254.169.254/latest"));
  await publishDue(publisher(NOON, { fetch: wire.fetch, resolveHost }).world, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "retry", error_code: "media_unreachable" });
  expect([wire.times("media.example.com"), wire.times("169.254.169.254"), taken]).toEqual([1, 0, []]);
});

test("at publish time a name that has come to resolve to a private address is not asked", async () => {
  // Without a size the driver asks for one first: that question goes through the guard too.
  for (const media of [SIZED.media, VIDEO]) {
    const id = await waiting(await connected("tiktok"), NOON, { media });
    const { wire, taken } = taking({});
    const rebound = publisher(NOON, { fetch: wire.fetch, resolveHost: async () => ["10.0.0.7"] });
    await publishDue(rebound.world, [id]);
    expect(await rowOf(id)).toMatchObject({ status: "retry", error_code: "media_unreachable" });
    expect([wire.times("media.example.com"), taken]).toEqual([0, []]);
  }
});
