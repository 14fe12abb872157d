// Object storage by its S3 API: a private bucket that uploads land in, and a public one that holds verified files only.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { Env } from "./env.ts";
import { unavailable } from "./errors.ts";
import type { MediaSource } from "./media/source.ts";

/** How long a presigned upload URL stays good, in seconds. */
export const UPLOAD_URL_SECONDS = 600;

export interface StoredObject {
  size: number;
  etag: string;
}

export interface Bucket {
  /** A URL that takes one PUT of exactly this type, straight from the caller. */
  presignPut(key: string, contentType: string): Promise<string>;
  /** Null when nothing has arrived. */
  head(key: string): Promise<StoredObject | null>;
  /** Reads exactly the bytes of this etag: a later PUT to the same key makes reads fail instead of mixing bytes. */
  source(key: string, object: StoredObject): MediaSource;
  /** Moves verified bytes to the public bucket, provided they are still those of this etag; false when they changed. */
  publish(key: string, publicKey: string, object: StoredObject, contentType: string): Promise<boolean>;
  remove(key: string): Promise<void>;
}

export function openBucket(env: Env, requestId: string): Bucket {
  const { S3_UPLOADS_BUCKET: uploads, S3_FILES_BUCKET: files } = env;
  const s3 = client(env, requestId);
  const get = (Key: string, { etag }: StoredObject, Range?: string) =>
    s3.send(new GetObjectCommand({ Bucket: uploads, Key, IfMatch: etag, Range }));

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

    source: (key, object) => ({
      size: object.size,
      async read(offset, length) {
        if (length === 0) return new Uint8Array();
        const part = await storage(get(key, object, `bytes=${offset}-${offset + length - 1}`));
        return bytesOf(part.Body);
      },
      async stream() {
        const whole = await storage(get(key, object));
        return streamOf(whole.Body);
      },
    }),

    async publish(key, publicKey, { etag }, contentType) {
      const copied = await orNull(
        s3.send(
          new CopyObjectCommand({
            Bucket: files,
            Key: publicKey,
            CopySource: `${uploads}/${key}`,
            CopySourceIfMatch: etag,
            ContentType: contentType,
            // The key is unique to these bytes, so whoever has them may keep them.
            CacheControl: "public, max-age=31536000, immutable",
            MetadataDirective: "REPLACE",
          }),
        ),
        412,
      );
      return copied !== null;
    },

    async remove(Key) {
      await storage(s3.send(new DeleteObjectCommand({ Bucket: uploads, Key })));
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

async function orNull<Value>(work: Promise<Value>, absent: number): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === absent) return null;
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

interface Body {
  transformToByteArray(): Promise<Uint8Array>;
  transformToWebStream(): ReadableStream<Uint8Array>;
}

function bytesOf(body: Body | undefined): Promise<Uint8Array> {
  return body ? storage(body.transformToByteArray()) : Promise.resolve(new Uint8Array());
}

function streamOf(body: Body | undefined): ReadableStream<Uint8Array> {
  if (!body) throw unavailable("file storage", new Error("the answer had no body"));
  return body.transformToWebStream();
}
