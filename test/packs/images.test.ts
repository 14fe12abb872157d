// Adding images to a pack: fetching, verification and storage.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { downloadUrl } from "../../lib/services/safe-fetch.ts";
import { DEMO_VIDEO, uploadFile } from "../files/upload-file.ts";
import { buildGradientRows, buildPng, buildPngChunk } from "../media/png-writer.ts";
import { concatBytes, readFixture } from "../media/sources.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { createPack, insertImages } from "./factories.ts";
import { addImage, type ImageHost, serveBytes, serveRedirect, startImageHost } from "./image-host.ts";

const PICTURE = buildPng(7, 5, buildGradientRows(7, 5));
const MIB = 1024 ** 2;

let origin: ImageHost;
beforeAll(async () => {
  origin = await startImageHost();
});
afterAll(() => origin.close());

async function createPackFor(tenant: Tenant) {
  const { id } = await createPack(tenant.api);
  const add = (body: object) => addImage(tenant.api, id, body, [origin.host]);
  const images = async () => (await tenant.api.get(`/packs/${id}`)).body.data.images;
  return { id, add, images };
}

test("201 returns the verified image, and the pack includes it", async () => {
  const tenant = await createTestTenant();
  const pack = await createPackFor(tenant);
  const url = `${origin.at("/beach%20at%20dawn.png", serveBytes(PICTURE, "image/png"))}?size=large`;
  const added = await pack.add({ image_url: url });
  expect([added.status, added.body.message]).toEqual([201, "Image added."]);
  expect(added.body.data).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url,
    file_name: "beach at dawn.png",
    content_type: "image/png",
    width: 7,
    height: 5,
    created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  });
  const shown = (await tenant.api.get(`/packs/${pack.id}`)).body.data;
  expect([shown.image_count, shown.images]).toEqual([1, [added.body.data]]);
});

test("201 detects every image type by its bytes, not by the server's content type, and applies the EXIF orientation", async () => {
  const pack = await createPackFor(await createTestTenant());
  const kinds = [
    ["baseline.jpg", "image/jpeg"],
    ["progressive.jpg", "image/jpeg"],
    ["picture.png", "image/png"],
    ["lossy.webp", "image/webp"],
    ["two.gif", "image/gif"],
  ] as const;
  for (const [name, type] of kinds) {
    const added = await pack.add({
      image_url: origin.at(`/kinds/${name}`, serveBytes(readFixture(name), "text/plain")),
    });
    expect([added.status, added.body.data?.content_type]).toEqual([201, type]);
  }
  const turned = await pack.add({
    image_url: origin.at("/rotated.jpg", serveBytes(readFixture("rotated.jpg"), "image/jpeg")),
  });
  const { width, height } = turned.body.data;
  expect(width).toBeLessThan(height);
});

test("201 file_name is the given one, else the last path segment, else a name by type", async () => {
  const pack = await createPackFor(await createTestTenant());
  const named = async (path: string, more: object = {}) =>
    (await pack.add({ image_url: origin.at(path, serveBytes(PICTURE)), ...more })).body.data.file_name;
  expect(await named("/a.png", { file_name: "  Beach.png " })).toBe("Beach.png");
  expect(await named("/a.png", { file_name: "a\u202egpj.exe\nb" })).toBe("a gpj.exe b");
  expect(await named("/%E2%80%AEgnp.a%0Ab.png")).toBe("gnp.a b.png");
  expect(await named("/folder/")).toBe("image.png");
  expect(await named("/100%25%zz.png")).toBe("100%25%zz.png");
  expect(await named(`/${"n".repeat(400)}`)).toBe("n".repeat(255));
});

test("201 keeps the order of insertion and repeated URLs", async () => {
  const pack = await createPackFor(await createTestTenant());
  const [one, two] = ["/one.png", "/two.png"].map((path) => origin.at(path, serveBytes(PICTURE)));
  for (const image_url of [two, one, two]) expect((await pack.add({ image_url })).status).toBe(201);
  expect((await pack.images()).map(({ url }: { url: string }) => url)).toEqual([two, one, two]);
});

test("201 for the caller's finalized file without a fetch; 400 for a file of another scope", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const { url } = (await uploadFile(mine.api, "image/jpeg", readFixture("rotated.jpg"))).body.data.file;
  const { id } = await createPack(mine.api);
  const added = await addImage(mine.api, id, { image_url: url }, []);
  expect([added.status, added.body.data]).toMatchObject([201, { url, content_type: "image/jpeg" }]);
  expect(added.body.data.width).toBeLessThan(added.body.data.height);
  const foreign = await addImage(theirs.api, (await createPack(theirs.api)).id, { image_url: url }, []);
  expect([foreign.status, foreign.body.error_code]).toEqual([400, "image_unreachable"]);
});

test("422 invalid_image for a finalized file that is a video", async () => {
  const { api } = await createTestTenant();
  const { url } = (await uploadFile(api, "video/mp4", await readFile(DEMO_VIDEO))).body.data.file;
  const response = await addImage(api, (await createPack(api)).id, { image_url: url }, []);
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_image"]);
  expect(response.body.message).toMatch(/video/);
});

test.each([
  ["http://10.1.2.3/a.png", /10\.1\.2\.3 is not public/],
  ["http://169.254.169.254/latest/meta-data", /not public/],
  ["http://[::1]/a.png", /not public/],
  ["http://localhost:9999/a.png", /not public/],
  ["http://127.0.0.1:1/a.png", /not public/],
  ["https://user:secret@media.example.com/a.png", /user name or password/],
])("400 image_unreachable for %s without a request", async (image_url, words) => {
  const pack = await createPackFor(await createTestTenant());
  const response = await pack.add({ image_url });
  expect([response.status, response.body.error_code]).toEqual([400, "image_unreachable"]);
  expect(response.body.message).toMatch(words);
  expect(await pack.images()).toEqual([]);
});

test("400 image_unreachable for a redirect to a private network; other redirects are followed", async () => {
  const pack = await createPackFor(await createTestTenant());
  const inside = await startImageHost();
  const secret = inside.at("/secret.png", serveBytes(PICTURE));
  for (const location of [secret, "http://192.168.0.1/a.png", "file:///etc/passwd", "http://[bad"]) {
    const response = await pack.add({ image_url: origin.at("/moved.png", serveRedirect(location)) });
    expect([response.status, response.body.error_code]).toEqual([400, "image_unreachable"]);
  }
  expect(inside.requestedPaths).toEqual([]);
  await inside.close();
  origin.at("/real.png", serveBytes(PICTURE));
  const followed = await pack.add({ image_url: origin.at("/moved.png", serveRedirect("/real.png")) });
  expect([followed.status, followed.body.data.url]).toEqual([201, `${origin.url}/moved.png`]);
});

test("400 image_unreachable for endless redirects", async () => {
  const pack = await createPackFor(await createTestTenant());
  const before = origin.requestedPaths.length;
  const response = await pack.add({ image_url: origin.at("/round.png", serveRedirect("/round.png")) });
  expect([response.status, response.body.error_code]).toEqual([400, "image_unreachable"]);
  expect(response.body.message).toMatch(/more than 3/);
  expect(origin.requestedPaths.length - before).toBe(4);
});

test("400 image_unreachable for an HTTP error, a failed and an interrupted connection", async () => {
  const pack = await createPackFor(await createTestTenant());
  const gone = await startImageHost();
  await gone.close();
  const half = origin.at("/half.png", (_, response) => {
    response.writeHead(200, { "content-length": PICTURE.length });
    response.write(PICTURE.subarray(0, 20), () => response.destroy());
  });
  for (const [image_url, hosts, words] of [
    [`${origin.url}/no-such.png`, [origin.host], /HTTP 404/],
    [origin.at("/broken.png", (_, response) => response.writeHead(503).end()), [origin.host], /HTTP 503/],
    [`${gone.url}/a.png`, [gone.host], /did not respond/],
    [half, [origin.host], /before the response was complete/],
  ] as const) {
    const { api } = await createTestTenant();
    const response = await addImage(api, (await createPack(api)).id, { image_url }, [...hosts]);
    expect([response.status, response.body.error_code]).toEqual([400, "image_unreachable"]);
    expect(response.body.message).toMatch(words);
  }
  expect(await pack.images()).toEqual([]);
});

test("400 image_unreachable when the server stalls before or during its response", async () => {
  const guard = { fetch, resolveHost: async () => [], allowedHosts: [origin.host] };
  const never = origin.at("/never.png", () => undefined);
  const stalls = origin.at("/stalls.png", (_, response) => void response.writeHead(200).write(PICTURE.subarray(0, 9)));
  for (const url of [never, stalls]) {
    await expect(downloadUrl(guard, url, { maxBytes: MIB, timeoutMs: 80 })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  }
});

/** A valid image of exactly this size, padded by a comment. */
function createImageOfSize(size: number): Uint8Array {
  const end = PICTURE.length - 12;
  const comment = buildPngChunk("tEXt", new Uint8Array(size - PICTURE.length - 12).fill(65));
  return concatBytes(PICTURE.subarray(0, end), comment, PICTURE.subarray(end));
}

test("201 at 20 MiB, 422 invalid_image above, with and without Content-Length", async () => {
  const pack = await createPackFor(await createTestTenant());
  const full = createImageOfSize(20 * MIB);
  expect(full.length).toBe(20 * MIB);
  expect((await pack.add({ image_url: origin.at("/full.png", serveBytes(full)) })).status).toBe(201);
  let stopped = false;
  const endless = origin.at("/endless.png", (_, response) => {
    response.on("close", () => {
      stopped = true;
    });
    response.writeHead(200);
    response.write(PICTURE);
    const chunk = new Uint8Array(MIB);
    const more = () => {
      // A response is writable even after its connection has closed.
      if (!stopped) response.write(chunk, () => setImmediate(more));
    };
    more();
  });
  const announced = origin.at("/announced.png", serveBytes(createImageOfSize(20 * MIB + 1)));
  for (const image_url of [announced, endless]) {
    const response = await pack.add({ image_url });
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_image"]);
    expect(response.body.message).toMatch(/20 MiB/);
  }
  await expect.poll(() => stopped).toBe(true);
});

const damagedPicture = PICTURE.with(PICTURE.length - 20, (PICTURE.at(-20) ?? 0) ^ 1);
test.each<[what: string, body: Uint8Array | string, words: RegExp]>([
  ["no bytes", "", /an empty response/],
  ["a web page", "<!doctype html><title>Not found</title>", /a web page/],
  ["plain text", "beach", /plain text/],
  ["a video", readFixture("faststart.mp4"), /video\/mp4/],
  ["an SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>", /XML/],
  ["noise", new Uint8Array(64).fill(3), /content of an unknown type/],
  ["a truncated PNG", PICTURE.subarray(0, PICTURE.length - 12), /image/],
  ["a truncated JPEG", readFixture("baseline.jpg").subarray(0, 2000), /incomplete|damaged/],
  ["a damaged PNG", damagedPicture, /damaged/],
  ["a PNG of too many pixels", buildPng(20_000, 20_000, new Uint8Array(10)), /100 million/],
])("422 invalid_image for %s served as image/png", async (what, body, words) => {
  const pack = await createPackFor(await createTestTenant());
  const path = `/wrong/${what.replaceAll(" ", "-")}.png`;
  const response = await pack.add({ image_url: origin.at(path, serveBytes(body, "image/png")) });
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_image"]);
  expect(response.body.message).toMatch(words);
  expect(await pack.images()).toEqual([]);
});

test.each<[field: string, body: object]>([
  ["image_url", {}],
  ["image_url", { image_url: "beach.png" }],
  ["image_url", { image_url: "ftp://media.example.com/beach.png" }],
  ["image_url", { image_url: `https://media.example.com/${"a".repeat(2048)}` }],
  ["file_name", { image_url: "https://media.example.com/a.png", file_name: " " }],
  ["file_name", { image_url: "https://media.example.com/a.png", file_name: "\u202e\n" }],
  ["file_name", { image_url: "https://media.example.com/a.png", file_name: "n".repeat(256) }],
  ["width", { image_url: "https://media.example.com/a.png", width: 5 }],
])("422 invalid_payload for the field %s", async (field, body) => {
  const pack = await createPackFor(await createTestTenant());
  const response = await pack.add(body);
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
});

test("409 pack_full for image 1,001", async () => {
  const pack = await createPackFor(await createTestTenant());
  await insertImages(pack.id, 999);
  const image_url = origin.at("/last.png", serveBytes(PICTURE));
  expect((await pack.add({ image_url })).status).toBe(201);
  const full = await pack.add({ image_url });
  expect([full.status, full.body.error_code]).toEqual([409, "pack_full"]);
  expect(await pack.images()).toHaveLength(1000);
});

test("201 for one of ten concurrent requests for the last place, 409 pack_full for the others", async () => {
  const pack = await createPackFor(await createTestTenant());
  await insertImages(pack.id, 999);
  const image_url = origin.at("/last.png", serveBytes(PICTURE));
  const responses = await Promise.all(Array.from({ length: 10 }, () => pack.add({ image_url })));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  expect(await pack.images()).toHaveLength(1000);
});

test("403 and 404 without a fetch", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const image_url = origin.at("/not-asked.png", serveBytes(PICTURE));
  const [open, closed] = [await createPack(theirs.api, { is_public: true }), await createPack(theirs.api)];
  const add = (id: string) => addImage(mine.api, id, { image_url }, [origin.host]);
  expect((await add(open.id)).body.error_code).toBe("forbidden_pack");
  expect((await add(closed.id)).body.error_code).toBe("not_found");
  expect(origin.requestedPaths).not.toContain("/not-asked.png");
});

test("201 once for an Idempotency-Key", async () => {
  const tenant = await createTestTenant();
  const pack = await createPackFor(tenant);
  const image_url = origin.at("/once.png", serveBytes(PICTURE));
  const env = { ALLOWED_PRIVATE_HOSTS: origin.host };
  const add = () =>
    tenant.api.call("POST", `/packs/${pack.id}/images`, {
      body: { image_url },
      env,
      headers: { "Idempotency-Key": "k" },
    });
  const [first, again] = [await add(), await add()];
  expect(again.body).toEqual(first.body);
  expect(await pack.images()).toEqual([first.body.data]);
});
