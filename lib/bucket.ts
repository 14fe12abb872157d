// Object storage by its S3 API: a private bucket that uploads land in, and a public one that holds verified files only.
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
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Env } from "./env.ts";
import { unavailable } from "./errors.ts";

/** How long a presigned upload URL stays good, in seconds. */
export const UPLOAD_URL_SECONDS = 600;

/** A key of the public bucket is unique to its bytes, so whoever has them may keep them. */
const FOR_GOOD = "public, max-age=31536000, immutable";

/** How long a presigned URL can be read from, in seconds: as long as a file of 5 GiB may take to be walked. */
const READ_URL_SECONDS = 60 * 60;

export interface StoredObject {
  size: number;
  etag: string;
}

/** An upload in parts that the bucket holds open, under the id it gave it. */
export interface OpenUpload {
  key: string;
  multipartId: string;
}

export interface Part {
  partNumber: number;
  etag: string;
}

export interface Bucket {
  /** A URL that takes one PUT of exactly this type, straight from the caller. */
  presignPut(key: string, contentType: string): Promise<string>;
  /** Null when nothing has arrived. */
  head(key: string): Promise<StoredObject | null>;
  /** A URL that takes GETs of an uploaded object, with ranges. */
  presignSource(key: string): Promise<string>;
  /** A URL that takes GETs of a public object, with ranges, past any cache. */
  presignGet(publicKey: string): Promise<string>;
  /** Moves verified bytes to the public bucket, provided they are still those of this etag; false when they changed. */
  publish(key: string, publicKey: string, object: StoredObject, contentType: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Writes to the public bucket; the key has to be unique to these bytes. */
  put(publicKey: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Removes from the public bucket. */
  unpublish(publicKey: string): Promise<void>;

  /** Opens an upload in parts; answers the bucket's id of it. */
  openParts(key: string, contentType: string): Promise<string>;
  /** A URL that takes exactly so many bytes as this part, straight from the caller. */
  presignPart(upload: OpenUpload, part: { partNumber: number; size: number }, seconds: number): Promise<string>;
  /** `refused`: a part is not there or has another etag, and all stays as it is. `gone`: no such upload is open. */
  joinParts(upload: OpenUpload, parts: Part[]): Promise<"joined" | "refused" | "gone">;
  /** The etags of the parts that have arrived, by number; null when the bucket does not tell. */
  arrivedParts(upload: OpenUpload): Promise<Map<number, string> | null>;
  /** Ends an upload in parts and drops them; one that has ended already stays so. */
  dropParts(upload: OpenUpload): Promise<void>;
}

export function openBucket(env: Env, requestId: string): Bucket {
  const { S3_UPLOADS_BUCKET: uploads, S3_FILES_BUCKET: files } = env;
  const s3 = client(env, requestId);
  const presignRead = (Bucket: string, Key: string) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: READ_URL_SECONDS });

  return {
    presignPut: (Key, ContentType) =>
      getSignedUrl(s3, new PutObjectCommand({ Bucket: uploads, Key, ContentType }), {
        expiresIn: UPLOAD_URL_SECONDS,
        signableHeaders: new Set(["content-type", "host"]),
      }),

    async head(Key) {
      const found = await orNull(s3.send(new HeadObjectCommand({ Bucket: uploads, Key })), 404);
      return found ? { size: found.ContentLength ?? 0, etag: found.ETag ?? "" } : null;
    },

    presignSource: (Key) => presignRead(uploads, Key),
    presignGet: (Key) => presignRead(files, Key),

    async publish(key, publicKey, { etag }, contentType) {
      const copied = await orNull(
        s3.send(
          new CopyObjectCommand({
            Bucket: files,
            Key: publicKey,
            CopySource: `${uploads}/${key}`,
            CopySourceIfMatch: etag,
            ContentType: contentType,
            CacheControl: FOR_GOOD,
            MetadataDirective: "REPLACE",
          }),
        ),
        412,
      );
      return copied !== null;
    },

    async put(Key, Body, ContentType) {
      const object = { Bucket: files, Key, Body, ContentType, CacheControl: FOR_GOOD };
      await storage(s3.send(new PutObjectCommand(object)));
    },

    async remove(Key) {
      await storage(s3.send(new DeleteObjectCommand({ Bucket: uploads, Key })));
    },

    async unpublish(Key) {
      await storage(s3.send(new DeleteObjectCommand({ Bucket: files, Key })));
    },

    ...inParts(s3, uploads),
  };
}

type InParts = Pick<Bucket, "openParts" | "presignPart" | "joinParts" | "arrivedParts" | "dropParts">;

function inParts(s3: S3Client, Bucket: string): InParts {
  const named = ({ key, multipartId }: OpenUpload) => ({ Bucket, Key: key, UploadId: multipartId });

  return {
    async openParts(Key, ContentType) {
      const { UploadId } = await storage(s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType })));
      if (!UploadId) throw unavailable("file storage", new Error("the bucket gave the upload no id"));
      return UploadId;
    },

    presignPart: (upload, { partNumber: PartNumber, size: ContentLength }, expiresIn) =>
      getSignedUrl(s3, new UploadPartCommand({ ...named(upload), PartNumber, ContentLength }), {
        expiresIn,
        signableHeaders: new Set(["content-length", "host"]),
      }),

    async joinParts(upload, parts) {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }));
      try {
        await s3.send(new CompleteMultipartUploadCommand({ ...named(upload), MultipartUpload: { Parts } }));
        return "joined";
      } catch (error) {
        if (statusOf(error) === 404) return "gone";
        if (statusOf(error) === 400) return "refused";
        throw unavailable("file storage", error);
      }
    },

    async arrivedParts(upload) {
      const listed = await orNull(s3.send(new ListPartsCommand(named(upload))), 404, 501);
      const parts = listed?.Parts?.map(
        ({ PartNumber = 0, ETag = "" }) => [PartNumber, ETag.replaceAll('"', "")] as const,
      );
      return parts ? new Map(parts) : null;
    },

    async dropParts(upload) {
      await orNull(s3.send(new AbortMultipartUploadCommand(named(upload))), 404);
    },
  };
}

function client(env: Env, requestId: string): S3Client {
  const s3 = new S3Client({
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    credentials: { accessKeyId: env.S3_ACCESS_KEY_ID, secretAccessKey: env.S3_SECRET_ACCESS_KEY },
    forcePathStyle: true,
    // R2 takes no trailing checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 2,
  });
  // Added after signing: presigned URLs must not demand it from the caller.
  s3.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string>; query?: Record<string, unknown> };
      if (!request.query?.["X-Amz-Signature"]) request.headers["x-request-id"] = requestId;
      return next(args);
    },
    { step: "finalizeRequest", priority: "low", name: "requestId" },
  );
  return s3;
}

async function orNull<Value>(work: Promise<Value>, ...absent: number[]): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (absent.includes(statusOf(error) ?? 0)) return null;
    throw unavailable("file storage", error);
  }
}

async function storage<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw unavailable("file storage", error);
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
