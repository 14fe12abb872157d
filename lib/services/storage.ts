// Object storage over the S3 API: a private bucket for uploads and a public bucket for verified files.
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
import { unavailableError } from "../shared/errors.ts";
import type { Env } from "./env.ts";

/** Lifetime of a presigned upload URL, in seconds. */
export const UPLOAD_URL_SECONDS = 600;

/** Keys of the public bucket are unique to their bytes, so caches may keep an object forever. */
const IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable";

/** Lifetime of a presigned read URL, in seconds: enough to read a file of 5 GiB. */
const READ_URL_SECONDS = 60 * 60;

export interface StoredObject {
  size: number;
  /** In quotes, as S3 returns it. */
  etag: string;
}

/** An open multipart upload; `multipartId` is the S3 upload id. */
export interface MultipartUpload {
  key: string;
  multipartId: string;
}

export interface Part {
  partNumber: number;
  /** Without quotes. */
  etag: string;
}

export interface ObjectStorage {
  /** A URL for a PUT of exactly this content type and, unless it is null, this size, sent by the caller. */
  presignPut(key: string, contentType: string, size: number | null): Promise<string>;
  /** Null when no object exists. */
  findUpload(key: string): Promise<StoredObject | null>;
  /** A URL for GETs, with ranges, of an object in the public bucket; bypasses the CDN cache. */
  presignPublicRead(publicKey: string): Promise<string>;
  /** Copies an object of the uploads bucket to the public one; false, and no copy, when another object has replaced it. */
  publishUpload(key: string, publicKey: string, object: StoredObject, contentType: string): Promise<boolean>;
  deleteUpload(key: string): Promise<void>;
  /** Writes to the public bucket; the key must be unique to these bytes. */
  putPublic(publicKey: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Copies an object of the public bucket to another key; with its own content type, or with another one. */
  copyPublic(fromKey: string, toKey: string, contentType?: string): Promise<void>;
  /** Deletes from the public bucket. */
  deletePublic(publicKey: string): Promise<void>;

  /** Starts a multipart upload and returns its S3 upload id. */
  createMultipart(key: string, contentType: string): Promise<string>;
  /** A URL for a PUT of exactly the size of this part, sent by the caller; valid for `seconds`. */
  presignPart(upload: MultipartUpload, part: { partNumber: number; size: number }, seconds: number): Promise<string>;
  /** `rejected`: a part is missing or has another ETag; the upload stays open. `not_found`: no such upload is open. */
  completeMultipart(upload: MultipartUpload, parts: Part[]): Promise<"completed" | "rejected" | "not_found">;
  /** The ETags of the uploaded parts by number, without quotes; null if the upload is not open, or the storage cannot list parts. */
  listParts(upload: MultipartUpload): Promise<Map<number, string> | null>;
  /** Aborts a multipart upload and deletes its parts; does nothing when it has ended already. */
  abortMultipart(upload: MultipartUpload): Promise<void>;
}

export function openStorage(env: Env, requestId: string): ObjectStorage {
  const { S3_UPLOADS_BUCKET: uploads, S3_FILES_BUCKET: files } = env;
  const s3 = createS3Client(env, requestId);
  const presignRead = (Bucket: string, Key: string) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: READ_URL_SECONDS });

  return {
    presignPut: (Key, ContentType, size) =>
      getSignedUrl(s3, new PutObjectCommand({ Bucket: uploads, Key, ContentType, ContentLength: size ?? undefined }), {
        expiresIn: UPLOAD_URL_SECONDS,
        signableHeaders: new Set(["content-type", "host", ...(size === null ? [] : ["content-length"])]),
      }),

    async findUpload(Key) {
      const found = await nullOnStatus(s3.send(new HeadObjectCommand({ Bucket: uploads, Key })), 404);
      return found && { size: found.ContentLength ?? 0, etag: found.ETag ?? "" };
    },

    presignPublicRead: (Key) => presignRead(files, Key),

    async publishUpload(key, publicKey, object, contentType) {
      const copied = await nullOnStatus(
        s3.send(
          new CopyObjectCommand({
            Bucket: files,
            Key: publicKey,
            CopySource: `${uploads}/${key}`,
            CopySourceIfMatch: object.etag,
            ContentType: contentType,
            CacheControl: IMMUTABLE_CACHE_CONTROL,
            MetadataDirective: "REPLACE",
          }),
        ),
        404,
        412,
      );
      return copied !== null;
    },

    async putPublic(Key, Body, ContentType) {
      const object = { Bucket: files, Key, Body, ContentType, CacheControl: IMMUTABLE_CACHE_CONTROL };
      await wrapStorageErrors(s3.send(new PutObjectCommand(object)));
    },

    async copyPublic(fromKey, Key, ContentType) {
      // Without a replacement the copy keeps content type and cache headers.
      const replaced = { ContentType, CacheControl: IMMUTABLE_CACHE_CONTROL, MetadataDirective: "REPLACE" } as const;
      const copy = { Bucket: files, Key, CopySource: `${files}/${fromKey}`, ...(ContentType ? replaced : {}) };
      await wrapStorageErrors(s3.send(new CopyObjectCommand(copy)));
    },

    async deleteUpload(Key) {
      await wrapStorageErrors(s3.send(new DeleteObjectCommand({ Bucket: uploads, Key })));
    },

    async deletePublic(Key) {
      await wrapStorageErrors(s3.send(new DeleteObjectCommand({ Bucket: files, Key })));
    },

    ...createMultipartStorage(s3, uploads),
  };
}

type MultipartStorage = Pick<
  ObjectStorage,
  "createMultipart" | "presignPart" | "completeMultipart" | "listParts" | "abortMultipart"
>;

function createMultipartStorage(s3: S3Client, Bucket: string): MultipartStorage {
  const toParams = ({ key, multipartId }: MultipartUpload) => ({ Bucket, Key: key, UploadId: multipartId });

  return {
    async createMultipart(Key, ContentType) {
      const { UploadId } = await wrapStorageErrors(
        s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType })),
      );
      if (!UploadId) throw unavailableError("file storage", new Error("CreateMultipartUpload returned no upload id"));
      return UploadId;
    },

    presignPart: (upload, { partNumber: PartNumber, size: ContentLength }, expiresIn) =>
      getSignedUrl(s3, new UploadPartCommand({ ...toParams(upload), PartNumber, ContentLength }), {
        expiresIn,
        signableHeaders: new Set(["content-length", "host"]),
      }),

    async completeMultipart(upload, parts) {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }));
      try {
        await s3.send(new CompleteMultipartUploadCommand({ ...toParams(upload), MultipartUpload: { Parts } }));
        return "completed";
      } catch (error) {
        if (getHttpStatus(error) === 404) return "not_found";
        if (getHttpStatus(error) === 400) return "rejected";
        throw unavailableError("file storage", error);
      }
    },

    async listParts(upload) {
      const listed = await nullOnStatus(s3.send(new ListPartsCommand(toParams(upload))), 404, 501);
      const parts = listed?.Parts?.map(
        ({ PartNumber = 0, ETag = "" }) => [PartNumber, ETag.replaceAll('"', "")] as const,
      );
      return parts ? new Map(parts) : null;
    },

    async abortMultipart(upload) {
      await nullOnStatus(s3.send(new AbortMultipartUploadCommand(toParams(upload))), 404);
    },
  };
}

function createS3Client(env: Env, requestId: string): S3Client {
  const s3 = new S3Client({
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    credentials: { accessKeyId: env.S3_ACCESS_KEY_ID, secretAccessKey: env.S3_SECRET_ACCESS_KEY },
    forcePathStyle: true,
    // R2 does not support trailing checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 2,
  });
  // Added after signing: a presigned URL ends before, and does not require the header from the caller.
  s3.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers["x-request-id"] = requestId;
      return next(args);
    },
    { step: "finalizeRequest", priority: "low", name: "requestId" },
  );
  return s3;
}

async function nullOnStatus<Value>(work: Promise<Value>, ...statuses: number[]): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (statuses.includes(getHttpStatus(error) ?? 0)) return null;
    throw unavailableError("file storage", error);
  }
}

async function wrapStorageErrors<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw unavailableError("file storage", error);
  }
}

function getHttpStatus(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
