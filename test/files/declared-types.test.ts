// Names of types as browsers and servers send them, and files that are something else than their name.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { changeField, readFixture } from "../media/sources.ts";
import { inHours } from "../posts/post-requests.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { completeMultipart, startMultipart, uploadParts } from "./multipart-client.ts";
import { putBytes, uploadFile } from "./upload-file.ts";

test.each([
  ["video/mov", "clip.mov", "video/quicktime"],
  ["", "clip.MOV", "video/quicktime"],
  ["", "photo.jpeg", "image/jpeg"],
  ["application/octet-stream", "clip.mp4", "video/mp4"],
  ["application/octet-stream", "from a phone", "application/octet-stream"],
  ["image/jpg", "a.jpg", "image/jpeg"],
  ["image/pjpeg", "a.jpg", "image/jpeg"],
  ["IMAGE/PNG", "a.png", "image/png"],
  ["video/mp4; codecs=avc1", "a.mp4", "video/mp4"],
  ["VIDEO/MP4", "a.mp4", "video/mp4"],
  ["video/x-m4v", "a.m4v", "video/mp4"],
  ["", "a.m4v", "video/mp4"],
  ["binary/octet-stream", "a.jfif", "image/jpeg"],
  ["video/3gpp", "a.3gp", "video/mp4"],
  ["video/3gpp2", "a.3g2", "video/mp4"],
  ["image/apng", "a.apng", "image/png"],
])("201 for the type %j of %s: %s", async (contentType, filename, stored) => {
  const { api } = await createTestTenant();
  for (const path of ["/files", "/files/multipart"]) {
    expect((await api.post(path, { contentType, filename, size: 10 })).status).toBe(201);
  }
  const { data } = (await api.post("/files", { contentType, filename })).body;
  expect([data.contentType, data.headers["Content-Type"], data.filename]).toEqual([stored, stored, filename]);
});

test.each([
  ["image/heic", "a.heic", "Export the picture as JPEG"],
  ["", "IMG_1.HEIC", "Export the picture as JPEG"],
  ["image/avif", "a.avif", "Export the picture as JPEG"],
  ["image/tiff", "a.tif", "Export the picture as JPEG"],
  ["image/bmp", "a.bmp", "Export the picture as JPEG"],
  ["video/x-msvideo", "a.avi", "Export the video as MP4"],
  ["application/pdf", "a.pdf", "Must be one of image/jpeg"],
])("422 for the type %j of %s names the cure", async (contentType, filename, cure) => {
  const { api } = await createTestTenant();
  const response = await api.post("/files", { contentType, filename });
  expect([response.status, response.body.issues?.fieldErrors.contentType?.join()]).toEqual([
    422,
    expect.stringContaining(cure),
  ]);
});

test("file names lose direction marks and line breaks", async () => {
  const { api } = await createTestTenant();
  for (const [filename, stored] of [
    ["a\u202egpj.exe", "a gpj.exe"],
    ["a\nb.jpg", "a b.jpg"],
    ["\u2067x\u2069.jpg\r\n", "x .jpg"],
    ["a\u2028b.png", "a b.png"],
    ["été 🌞.jpg", "été 🌞.jpg"],
  ]) {
    expect((await api.post("/files", { contentType: "image/jpeg", filename })).body.data.filename).toBe(stored);
  }
  const { data } = (await api.post("/files", { contentType: "image/jpeg", filename: "\u202e" })).body;
  expect(data.filename).toBe(`${data.id}.jpeg`);
});

test.each([
  ["lossy.webp", "image/jpeg", "photo.jpg", "image/webp", "photo.webp"],
  ["baseline.jpg", "image/png", "photo.png", "image/jpeg", "photo.jpg"],
  ["two.gif", "image/jpeg", "photo.jpg", "image/gif", "photo.gif"],
  ["faststart.mp4", "video/quicktime", "IMG_1.MOV", "video/mp4", "IMG_1.mp4"],
  ["clip.mov", "application/octet-stream", "recording", "video/quicktime", "recording.mov"],
  ["faststart.mp4", "", "a.jpg", "video/mp4", "a.mp4"],
  ["clip.mov", "application/octet-stream", "a.jpg", "video/quicktime", "a.mov"],
  ["picture.png", "", "a.mp4", "image/png", "a.png"],
  ["baseline.jpg", "", "a.jpg", "image/jpeg", "a.jpg"],
])("200 %s as %s named %s is stored as %s", async (fixture, contentType, filename, stored, ending) => {
  const { api } = await createTestTenant();
  const bytes = readFixture(fixture);
  const upload = (await api.post("/files", { contentType, filename, size: bytes.length })).body.data;
  await putBytes(upload, bytes);
  const response = await api.post(`/files/${upload.id}/finalize`, undefined, { "Idempotency-Key": newId() });
  const { file, attestation } = response.body.data;
  expect([response.status, file.contentType, file.filename]).toEqual([200, stored, filename]);
  expect(file.url.endsWith(`/${ending}`)).toBe(true);
  expect((await fetch(file.url)).headers.get("content-type")).toBe(stored);
  if (stored.startsWith("video/")) expect(attestation.mirrored).toBeUndefined();
});

test.each([
  [
    "faststart.mp4",
    "image/jpeg",
    "a.jpg",
    "declared as image/jpeg, but its content is video/mp4. Start the upload with",
  ],
  ["picture.png", "video/mp4", "a.png", "declared as video/mp4, but its content is image/png. Start the upload with"],
])("400 %s declared as %s, whatever its name %s", async (fixture, contentType, filename, message) => {
  const { api } = await createTestTenant();
  const bytes = readFixture(fixture);
  const upload = (await api.post("/files", { contentType, filename, size: bytes.length })).body.data;
  await putBytes(upload, bytes);
  const response = await api.post(`/files/${upload.id}/finalize`, undefined, { "Idempotency-Key": newId() });
  expect([response.status, response.body.message]).toEqual([400, expect.stringContaining(message)]);
});

test("200 a multipart upload of no type is what its bytes say", async () => {
  const { api } = await createTestTenant();
  const bytes = readFixture("picture.png");
  const started = await startMultipart(api, bytes, { contentType: "" });
  const response = await completeMultipart(api, started.id, await uploadParts(started, bytes));
  expect([response.status, response.body.data.file]).toEqual([
    200,
    expect.objectContaining({ contentType: "image/png", filename: "clip.mp4" }),
  ]);
});

test("200 a video whose header is half as long as its frames is accepted, with a warning there and in prepare", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const account = await createTestAccount(tenant, "twitter");
  const bytes = changeField(readFixture("faststart.mp4"), "mdhd", 0, 16, (units) => units / 2);
  const response = await uploadFile(api, "video/mp4", bytes);
  const warning = {
    code: "video_length_unclear",
    message:
      "A header of the video says 1.5 seconds, but its frames last 3 seconds, which counts here. A network that reads the header may cut or reject the video. Export it again.",
  };
  const { file, attestation } = response.body.data;
  expect([response.status, attestation.durationMs, attestation.warnings]).toEqual([200, 3000, [warning]]);
  expect((await api.get(`/files/${file.id}`)).body.data.attestation.warnings).toEqual([warning]);
  const media = { type: "video", url: file.url };
  const post = await api.post("/posts", {
    caption: "x",
    accounts: [{ id: account.id }],
    media,
    scheduled_at: inHours(1),
  });
  expect(post.status).toBe(201);
  expect(post.body.data.warnings).toContainEqual(expect.objectContaining({ field: "media.url", ...warning }));
});

/** A host that answers every path with the bytes of a fixture under the given type. */
async function startHost(fixture: string, type: string | null) {
  const bytes = Buffer.from(readFixture(fixture));
  const server = createServer((_, response) => {
    response.writeHead(200, { ...(type === null ? {} : { "content-type": type }), "content-length": bytes.length });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, close: () => server.close() };
}

test.each<[string, string | null, "image" | "video", 201 | 400]>([
  ["baseline.jpg", "image/jpg", "image", 201],
  ["baseline.jpg", "application/octet-stream", "image", 201],
  ["baseline.jpg", "image/png", "image", 201],
  ["baseline.jpg", null, "image", 201],
  ["baseline.jpg", "text/plain", "image", 201],
  ["clip.mov", "video/mov", "video", 201],
  ["faststart.mp4", "binary/octet-stream", "video", 201],
  ["faststart.mp4", null, "video", 201],
  ["faststart.mp4", "image/jpeg", "image", 400],
  ["baseline.jpg", "video/mp4", "video", 400],
])("%s served as %s is checked as what its first KiB says (%s: %i)", async (fixture, type, kind, status) => {
  const tenant = await createTestTenant();
  const { host, close } = await startHost(fixture, type);
  try {
    const { id } = await createTestAccount(tenant, "facebook");
    const url = `http://${host}/file`;
    const media = kind === "video" ? { type: "video", url } : { type: "slideshow", urls: [url] };
    const body = { caption: "A caption", accounts: [{ id }], media, scheduled_at: inHours(1) };
    const response = await tenant.api.call("POST", "/posts", { body, env: { ALLOWED_PRIVATE_HOSTS: host } });
    const codes = response.body.fields?.map(({ code }: { code: string }) => code) ?? [];
    expect([response.status, codes.includes("media_unreachable")]).toEqual([status, status === 400]);
  } finally {
    close();
  }
});
