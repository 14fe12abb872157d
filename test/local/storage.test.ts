// The local object storage with the production clients: the S3 SDK, presigned URLs and public URLs.
import { mkdtempSync, rmSync } from "node:fs";
import { request as openRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { type ObjectStorage, startStorage } from "./storage.ts";
import { connectStorage } from "./storage-client.ts";

const calls = createCallCounter();
const folder = mkdtempSync(join(tmpdir(), "bucket-"));
let storage: ObjectStorage;
let s3: S3Client;

beforeAll(async () => {
  storage = await startStorage({ persistTo: folder, calls });
  s3 = connectStorage(storage);
});

afterAll(async () => {
  s3.destroy();
  await storage.close();
  rmSync(folder, { recursive: true });
});

const put = (bucket: string, key: string, text: string, more: object) =>
  s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ...more }));
const head = (bucket: string, key: string) => s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
const read = async (bucket: string, key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))).Body?.transformToString();
const status = (code: number) =>
  expect.objectContaining({ $metadata: expect.objectContaining({ httpStatusCode: code }) });

const signedPut = (key: string, length: number, more: object) => {
  const input = { Bucket: "uploads", Key: key, ContentType: "video/mp4", ContentLength: length, ...more };
  const signableHeaders = new Set(["host", "content-type", "content-length", "if-none-match"]);
  return getSignedUrl(s3, new PutObjectCommand(input), { expiresIn: 60, signableHeaders });
};

test("a presigned PUT accepts exactly the signed request", async () => {
  const url = await signedPut("a b/ü.mp4", 5, {});
  const send = (body: string, type: string) => fetch(url, { method: "PUT", body, headers: { "content-type": type } });
  expect((await send("hello!", "video/mp4")).status).toBe(403);
  expect((await send("hello", "image/png")).status).toBe(403);
  const accepted = await send("hello", "video/mp4");
  const found = await head("uploads", "a b/ü.mp4");
  expect(found).toMatchObject({ ContentType: "video/mp4", ContentLength: 5, ETag: accepted.headers.get("etag") });
  expect(accepted.headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
});

test("a presigned PUT with If-None-Match succeeds once", async () => {
  const url = await signedPut("once", 5, { IfNoneMatch: "*" });
  const headers = { "content-type": "video/mp4", "if-none-match": "*" };
  const send = (body: string) => fetch(url, { method: "PUT", body, headers });
  expect([(await send("first")).status, (await send("other")).status]).toEqual([200, 412]);
  expect((await fetch(url, { method: "PUT", body: "other", headers: { "content-type": "video/mp4" } })).status).toBe(
    403,
  );
  expect(await read("uploads", "once")).toBe("first");
});

test("a presigned URL expires", async () => {
  const command = new GetObjectCommand({ Bucket: "uploads", Key: "once" });
  const signingDate = new Date(Date.now() - 120_000);
  expect((await fetch(await getSignedUrl(s3, command, { expiresIn: 60, signingDate }))).status).toBe(403);
});

test("a browser may upload from another origin", async () => {
  const url = await signedPut("cors", 5, {});
  const preflightHeaders = { origin: "http://app.test", "access-control-request-method": "PUT" };
  const preflight = await fetch(url, {
    method: "OPTIONS",
    headers: { ...preflightHeaders, "access-control-request-headers": "content-type" },
  });
  expect(preflight.ok).toBe(true);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  const headers = { origin: "http://app.test", "content-type": "video/mp4" };
  const response = await fetch(url, { method: "PUT", body: "hello", headers });
  expect(response.headers.get("access-control-expose-headers")).toBeTruthy();
});

test("ranges are read under If-Match", async () => {
  const { ETag = "" } = await put("uploads", "ranged", "0123456789", {});
  const get = (Range: string, IfMatch: string) =>
    s3.send(new GetObjectCommand({ Bucket: "uploads", Key: "ranged", Range, IfMatch }));
  const part = await get("bytes=2-4", ETag);
  expect(await part.Body?.transformToString()).toBe("234");
  expect(part).toMatchObject({ ContentRange: "bytes 2-4/10", ContentLength: 3 });
  expect(await (await get("bytes=-2", ETag)).Body?.transformToString()).toBe("89");
  await expect(get("bytes=0-1", '"0123"')).rejects.toEqual(status(412));
  await expect(get("bytes=10-", ETag)).rejects.toEqual(status(416));
});

const PART = Buffer.alloc(5 * 1024 * 1024, "p");

async function createUpload(key: string) {
  const where = { Bucket: "uploads", Key: key };
  const created = await s3.send(new CreateMultipartUploadCommand({ ...where, ContentType: "video/mp4" }));
  return { ...where, UploadId: created.UploadId };
}

async function uploadPart(upload: Awaited<ReturnType<typeof createUpload>>, PartNumber: number, body: Buffer) {
  const url = await getSignedUrl(s3, new UploadPartCommand({ ...upload, PartNumber }), { expiresIn: 60 });
  const response = await fetch(url, { method: "PUT", body: new Uint8Array(body) });
  return { PartNumber, ETag: response.headers.get("etag") ?? undefined };
}

test("uploaded parts are listed with their latest ETags for signed requests until the upload ends", async () => {
  const upload = await createUpload("listed");
  const list = () => s3.send(new ListPartsCommand(upload));
  const [second, first] = [await uploadPart(upload, 2, PART), await uploadPart(upload, 1, PART)];
  const again = await uploadPart(upload, 2, Buffer.from("end"));
  expect(again.ETag).not.toBe(second.ETag);
  expect((await list()).Parts).toMatchObject([first, again]);
  const otherClient = connectStorage({ ...storage, secretAccessKey: "wrong" });
  await expect(otherClient.send(new ListPartsCommand(upload))).rejects.toEqual(status(403));
  otherClient.destroy();
  await s3.send(new AbortMultipartUploadCommand(upload));
  await expect(list()).rejects.toEqual(status(501));
});

test("a multipart upload by presigned parts completes only with the right ETags", async () => {
  const upload = await createUpload("big");
  const parts = await Promise.all([uploadPart(upload, 1, PART), uploadPart(upload, 2, Buffer.from("end"))]);
  const complete = (Parts: (typeof parts)[number][]) =>
    s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  const wrong = parts.map((part) => ({ ...part, ETag: '"00000000000000000000000000000000"' }));
  await expect(complete(wrong)).rejects.toMatchObject({ name: "InvalidPart" });
  const { ETag } = await complete(parts);
  expect(await head("uploads", "big")).toMatchObject({
    ContentLength: PART.length + 3,
    ContentType: "video/mp4",
    ETag,
  });
  await expect(complete(parts)).rejects.toMatchObject({ name: "NoSuchUpload" });
});

test("an aborted upload accepts no parts and cannot be completed", async () => {
  const upload = await createUpload("aborted");
  const part = await uploadPart(upload, 1, PART);
  await s3.send(new AbortMultipartUploadCommand(upload));
  expect((await uploadPart(upload, 2, PART)).ETag).toBeUndefined();
  const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: [part] } });
  await expect(s3.send(complete)).rejects.toMatchObject({ name: "NoSuchUpload" });
});

test("a deleted object is gone, and deleting it again succeeds", async () => {
  await put("uploads", "gone", "x", {});
  const remove = () => s3.send(new DeleteObjectCommand({ Bucket: "uploads", Key: "gone" }));
  await remove();
  await remove();
  await expect(head("uploads", "gone")).rejects.toEqual(status(404));
});

test("an object is copied to the other bucket only if its ETag is unchanged", async () => {
  const { ETag } = await put("uploads", "up/ä 1", "checked", { ContentType: "text/html", Metadata: { a: "b" } });
  const copy = (CopySourceIfMatch: string | undefined, more: object) => {
    const CopySource = `uploads/${encodeURIComponent("up/ä 1")}`;
    return s3.send(new CopyObjectCommand({ Bucket: "files", Key: "copy", CopySource, CopySourceIfMatch, ...more }));
  };
  await expect(copy('"00000000000000000000000000000000"', {})).rejects.toMatchObject({ name: "PreconditionFailed" });
  const copied = await copy(ETag, {});
  expect(copied.CopyObjectResult?.ETag).toBe(ETag);
  expect(await head("files", "copy")).toMatchObject({ ContentType: "text/html", Metadata: { a: "b" } });

  const CacheControl = "public, max-age=31536000, immutable";
  await copy(ETag, { MetadataDirective: "REPLACE", ContentType: "video/mp4", CacheControl });
  expect(await head("files", "copy")).toMatchObject({ ContentType: "video/mp4", CacheControl, Metadata: {} });
  expect(await read("files", "copy")).toBe("checked");
});

test("a part is copied from another bucket", async () => {
  await put("files", "source", "0123456789", {});
  const upload = await createUpload("from parts");
  const input = { ...upload, PartNumber: 1, CopySource: "files/source", CopySourceRange: "bytes=2-5" };
  const { CopyPartResult } = await s3.send(new UploadPartCopyCommand(input));
  const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }];
  await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  expect(await read("uploads", "from parts")).toBe("2345");
});

test("the public URL serves files with their type and in ranges", async () => {
  await put("files", "v/ü 1.mp4", "0123456789", { ContentType: "video/mp4", CacheControl: "public, max-age=60" });
  const url = `${storage.publicUrl("files")}/v/${encodeURIComponent("ü 1.mp4")}`;
  const whole = await fetch(url);
  expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "video/mp4",
    "cache-control": "public, max-age=60",
    "accept-ranges": "bytes",
    "content-length": "10",
  });
  const part = await fetch(url, { headers: { range: "bytes=5-" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 5-9/10", "56789"]);
  expect((await fetch(url, { method: "HEAD" })).headers.get("content-length")).toBe("10");
  expect((await fetch(`${storage.publicUrl("files")}/absent`)).status).toBe(404);
});

/** Requests a path exactly as written; `fetch` would normalize it. */
const rawStatus = (path: string) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(storage.endpoint);
    openRequest({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
      .once("error", reject)
      .end();
  });

test.for([
  "/public/uploads/secret",
  "/public/files/../uploads/secret",
  "/public/files/%2e%2e/uploads/secret",
  "/cdn-cgi/local/r2/public/uploads/secret",
  "/cdn-cgi/local/r2/s3/../public/uploads/secret",
])("404 hides an upload requested as %s", async (path) => {
  await put("uploads", "secret", "x", {});
  expect(await rawStatus(path)).toBe(404);
});

test("the public URL rejects writes, and S3 rejects unknown credentials", async () => {
  const write = await fetch(`${storage.publicUrl("files")}/x`, { method: "PUT", body: "x" });
  expect(write.ok).toBe(false);
  const otherClient = connectStorage({ ...storage, secretAccessKey: "guess" });
  const guess = new HeadObjectCommand({ Bucket: "uploads", Key: "secret" });
  await expect(otherClient.send(guess)).rejects.toEqual(status(403));
  expect(() => storage.publicUrl("uploads")).toThrow("private");
});

test("calls are counted by request id", async () => {
  calls.reset();
  const url = `${storage.publicUrl("files")}/x`;
  await fetch(url, { headers: { "x-request-id": "req_1" } });
  await fetch(url);
  expect(calls.report()).toMatchObject({ request_id: "req_1", bucket: 1, round_trips: 1 });
  expect(calls.report(null).bucket).toBe(1);
});

test("a stopped storage drops connections and recovers", async () => {
  const url = `${storage.publicUrl("files")}/absent`;
  calls.stop("bucket", 60_000);
  await expect(fetch(url)).rejects.toThrow();
  calls.stop("bucket", 1);
  await expect
    .poll(() =>
      fetch(url).then(
        (response) => response.status,
        () => null,
      ),
    )
    .toBe(404);
});
