// Adding pictures to a pack: what is fetched, what is refused, and what is kept.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { download } from "../../lib/guard.ts";
import { DEMO_VIDEO, upload } from "../files/uploaded.ts";
import { mintTenant, type Tenant } from "../harness.ts";
import { gradient, png, pngChunk } from "../media/png.ts";
import { fixture, join } from "../media/sources.ts";
import { addImage, bytes, type Origin, redirect, startOrigin } from "./origin.ts";
import { createPack, insertImages } from "./packs.ts";

const PICTURE = png(7, 5, gradient(7, 5));
const MIB = 1024 ** 2;

let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin();
});
afterAll(() => origin.close());

async function packOf(tenant: Tenant) {
  const { id } = await createPack(tenant.api);
  const add = (body: object) => addImage(tenant.api, id, body, [origin.host]);
  const images = async () => (await tenant.api.get(`/packs/${id}`)).body.data.images;
  return { id, add, images };
}

test("201 answers the image as it was found, and the pack shows it and counts it", async () => {
  const tenant = await mintTenant();
  const pack = await packOf(tenant);
  const url = `${origin.at("/beach%20at%20dawn.png", bytes(PICTURE, "image/png"))}?size=large`;
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

test("201 for every kind of picture, by its bytes and whatever the server calls it; a turned one as it is shown", async () => {
  const pack = await packOf(await mintTenant());
  const kinds = [
    ["baseline.jpg", "image/jpeg"],
    ["progressive.jpg", "image/jpeg"],
    ["picture.png", "image/png"],
    ["lossy.webp", "image/webp"],
    ["two.gif", "image/gif"],
  ] as const;
  for (const [name, type] of kinds) {
    const added = await pack.add({ image_url: origin.at(`/kinds/${name}`, bytes(fixture(name), "text/plain")) });
    expect([added.status, added.body.data?.content_type]).toEqual([201, type]);
  }
  const turned = await pack.add({ image_url: origin.at("/turned.jpg", bytes(fixture("turned.jpg"), "image/jpeg")) });
  const { width, height } = turned.body.data;
  expect(width).toBeLessThan(height);
});

test("201 the name is the one given, else the last of the path, else one by the type", async () => {
  const pack = await packOf(await mintTenant());
  const named = async (path: string, more: object = {}) =>
    (await pack.add({ image_url: origin.at(path, bytes(PICTURE)), ...more })).body.data.file_name;
  expect(await named("/a.png", { file_name: "  Beach.png " })).toBe("Beach.png");
  expect(await named("/folder/")).toBe("image.png");
  expect(await named("/100%25%zz.png")).toBe("100%25%zz.png");
  expect(await named(`/${"n".repeat(400)}`)).toBe("n".repeat(255));
});

test("201 keeps the order of adding, and the same URL as often as it is added", async () => {
  const pack = await packOf(await mintTenant());
  const [one, two] = ["/one.png", "/two.png"].map((path) => origin.at(path, bytes(PICTURE)));
  for (const image_url of [two, one, two]) expect((await pack.add({ image_url })).status).toBe(201);
  expect((await pack.images()).map(({ url }: { url: string }) => url)).toEqual([two, one, two]);
});

test("201 for a finalized file of the caller without a look at the network; 400 for that of another", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const { url } = (await upload(mine.api, "image/jpeg", fixture("turned.jpg"))).body.data.file;
  const { id } = await createPack(mine.api);
  const added = await addImage(mine.api, id, { image_url: url }, []);
  expect([added.status, added.body.data]).toMatchObject([201, { url, content_type: "image/jpeg" }]);
  expect(added.body.data.width).toBeLessThan(added.body.data.height);
  const foreign = await addImage(theirs.api, (await createPack(theirs.api)).id, { image_url: url }, []);
  expect([foreign.status, foreign.body.error_code]).toEqual([400, "image_unreachable"]);
});

test("422 invalid_image for a finalized file that is a video", async () => {
  const { api } = await mintTenant();
  const { url } = (await upload(api, "video/mp4", await readFile(DEMO_VIDEO))).body.data.file;
  const answer = await addImage(api, (await createPack(api)).id, { image_url: url }, []);
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_image"]);
  expect(answer.body.message).toMatch(/video/);
});

test.each([
  ["http://10.1.2.3/a.png", /10\.1\.2\.3 is not public/],
  ["http://169.254.169.254/latest/meta-data", /not public/],
  ["http://[::1]/a.png", /not public/],
  ["http://localhost:9999/a.png", /not public/],
  ["http://127.0.0.1:1/a.png", /not public/],
  ["https://user:secret@media.example.com/a.png", /user name or password/],
])("400 image_unreachable for %s, which is not asked", async (image_url, words) => {
  const pack = await packOf(await mintTenant());
  const answer = await pack.add({ image_url });
  expect([answer.status, answer.body.error_code]).toEqual([400, "image_unreachable"]);
  expect(answer.body.message).toMatch(words);
  expect(await pack.images()).toEqual([]);
});

test("400 image_unreachable for a redirect into a private network; a public one is followed", async () => {
  const pack = await packOf(await mintTenant());
  const inside = await startOrigin();
  const secret = inside.at("/secret.png", bytes(PICTURE));
  for (const location of [secret, "http://192.168.0.1/a.png", "file:///etc/passwd", "http://[bad"]) {
    const answer = await pack.add({ image_url: origin.at("/moved.png", redirect(location)) });
    expect([answer.status, answer.body.error_code]).toEqual([400, "image_unreachable"]);
  }
  expect(inside.asked).toEqual([]);
  await inside.close();
  origin.at("/real.png", bytes(PICTURE));
  const followed = await pack.add({ image_url: origin.at("/moved.png", redirect("/real.png")) });
  expect([followed.status, followed.body.data.url]).toEqual([201, `${origin.url}/moved.png`]);
});

test("400 image_unreachable for redirects without end", async () => {
  const pack = await packOf(await mintTenant());
  const before = origin.asked.length;
  const answer = await pack.add({ image_url: origin.at("/round.png", redirect("/round.png")) });
  expect([answer.status, answer.body.error_code]).toEqual([400, "image_unreachable"]);
  expect(answer.body.message).toMatch(/more than 3/);
  expect(origin.asked.length - before).toBe(4);
});

test("400 image_unreachable for an HTTP error, a refused connection and one that breaks off", async () => {
  const pack = await packOf(await mintTenant());
  const gone = await startOrigin();
  await gone.close();
  const half = origin.at("/half.png", (_, response) => {
    response.writeHead(200, { "content-length": PICTURE.length });
    response.write(PICTURE.subarray(0, 20), () => response.destroy());
  });
  for (const [image_url, hosts, words] of [
    [`${origin.url}/no-such.png`, [origin.host], /HTTP 404/],
    [origin.at("/broken.png", (_, response) => response.writeHead(503).end()), [origin.host], /HTTP 503/],
    [`${gone.url}/a.png`, [gone.host], /does not answer/],
    [half, [origin.host], /before all of its bytes/],
  ] as const) {
    const { api } = await mintTenant();
    const answer = await addImage(api, (await createPack(api)).id, { image_url }, [...hosts]);
    expect([answer.status, answer.body.error_code]).toEqual([400, "image_unreachable"]);
    expect(answer.body.message).toMatch(words);
  }
  expect(await pack.images()).toEqual([]);
});

test("a server that stalls is given up on, before its answer and in the middle of it", async () => {
  const guard = { fetch, resolveHost: async () => [], allowedHosts: [origin.host] };
  const never = origin.at("/never.png", () => undefined);
  const stalls = origin.at("/stalls.png", (_, response) => void response.writeHead(200).write(PICTURE.subarray(0, 9)));
  for (const url of [never, stalls]) {
    await expect(download(guard, url, { most: MIB, withinMs: 80 })).rejects.toMatchObject({ name: "TimeoutError" });
  }
});

/** A whole picture of exactly this size: a comment fills it up. */
function pictureOf(size: number): Uint8Array {
  const end = PICTURE.length - 12;
  const comment = pngChunk("tEXt", new Uint8Array(size - PICTURE.length - 12).fill(65));
  return join(PICTURE.subarray(0, end), comment, PICTURE.subarray(end));
}

test("201 at 20 MiB, 422 invalid_image above, whether or not the size is announced", async () => {
  const pack = await packOf(await mintTenant());
  const full = pictureOf(20 * MIB);
  expect(full.length).toBe(20 * MIB);
  expect((await pack.add({ image_url: origin.at("/full.png", bytes(full)) })).status).toBe(201);
  let stopped = false;
  const endless = origin.at("/endless.png", (_, response) => {
    response.on("close", () => {
      stopped = true;
    });
    response.writeHead(200);
    response.write(PICTURE);
    const chunk = new Uint8Array(MIB);
    const more = () => response.writable && response.write(chunk, () => setImmediate(more));
    more();
  });
  const announced = origin.at("/announced.png", bytes(pictureOf(20 * MIB + 1)));
  for (const image_url of [announced, endless]) {
    const answer = await pack.add({ image_url });
    expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_image"]);
    expect(answer.body.message).toMatch(/20 MiB/);
  }
  await expect.poll(() => stopped).toBe(true);
});

const flipped = PICTURE.with(PICTURE.length - 20, (PICTURE.at(-20) ?? 0) ^ 1);
test.each<[what: string, body: Uint8Array | string, words: RegExp]>([
  ["no bytes", "", /no bytes at all/],
  ["a web page", "<!doctype html><title>Not found</title>", /a web page/],
  ["plain text", "beach", /plain text/],
  ["a video", fixture("faststart.mp4"), /video\/mp4/],
  ["an SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>", /XML/],
  ["noise", new Uint8Array(64).fill(3), /no known type/],
  ["a cut PNG", PICTURE.subarray(0, PICTURE.length - 12), /image/],
  ["a cut JPEG", fixture("baseline.jpg").subarray(0, 2000), /incomplete|damaged/],
  ["a damaged PNG", flipped, /damaged/],
  ["a PNG of too many pixels", png(20_000, 20_000, new Uint8Array(10)), /100 million/],
])("422 invalid_image for %s, although it calls itself a PNG", async (what, body, words) => {
  const pack = await packOf(await mintTenant());
  const path = `/wrong/${what.replaceAll(" ", "-")}.png`;
  const answer = await pack.add({ image_url: origin.at(path, bytes(body, "image/png")) });
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_image"]);
  expect(answer.body.message).toMatch(words);
  expect(await pack.images()).toEqual([]);
});

test.each<[field: string, body: object]>([
  ["image_url", {}],
  ["image_url", { image_url: "beach.png" }],
  ["image_url", { image_url: "ftp://media.example.com/beach.png" }],
  ["image_url", { image_url: `https://media.example.com/${"a".repeat(2048)}` }],
  ["file_name", { image_url: "https://media.example.com/a.png", file_name: " " }],
  ["file_name", { image_url: "https://media.example.com/a.png", file_name: "n".repeat(256) }],
  ["width", { image_url: "https://media.example.com/a.png", width: 5 }],
])("422 invalid_payload for the field %s", async (field, body) => {
  const pack = await packOf(await mintTenant());
  const answer = await pack.add(body);
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([field]);
});

test("409 pack_full for image 1,001", async () => {
  const pack = await packOf(await mintTenant());
  await insertImages(pack.id, 999);
  const image_url = origin.at("/last.png", bytes(PICTURE));
  expect((await pack.add({ image_url })).status).toBe(201);
  const full = await pack.add({ image_url });
  expect([full.status, full.body.error_code]).toEqual([409, "pack_full"]);
  expect(await pack.images()).toHaveLength(1000);
});

test("201 for one of ten at once that want the last place of a pack, 409 pack_full for the others", async () => {
  const pack = await packOf(await mintTenant());
  await insertImages(pack.id, 999);
  const image_url = origin.at("/last.png", bytes(PICTURE));
  const answers = await Promise.all(Array.from({ length: 10 }, () => pack.add({ image_url })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  expect(await pack.images()).toHaveLength(1000);
});

test("403 and 404 before anything is fetched", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const image_url = origin.at("/not-asked.png", bytes(PICTURE));
  const [open, closed] = [await createPack(theirs.api, { is_public: true }), await createPack(theirs.api)];
  const add = (id: string) => addImage(mine.api, id, { image_url }, [origin.host]);
  expect((await add(open.id)).body.error_code).toBe("forbidden_pack");
  expect((await add(closed.id)).body.error_code).toBe("not_found");
  expect(origin.asked).not.toContain("/not-asked.png");
});

test("201 once for an Idempotency-Key", async () => {
  const tenant = await mintTenant();
  const pack = await packOf(tenant);
  const image_url = origin.at("/once.png", bytes(PICTURE));
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
