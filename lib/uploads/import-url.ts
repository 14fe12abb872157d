// Copies a file from a caller's URL into an upload of its own, byte by byte, so that its size does not matter.
import { sniffMimeType } from "../media/sniff-type.ts";
import { insertUpload, type UploadRow } from "../queries/uploads.ts";
import { getMaxBytes } from "../schemas/file.ts";
import type { RequestContext } from "../services/context.ts";
import { describeFetchError, type FetchPolicy, probeUrl, safeFetch } from "../services/safe-fetch.ts";
import { UPLOAD_URL_SECONDS } from "../services/storage.ts";
import { type ApiError, apiError, unavailableError } from "../shared/errors.ts";
import { getFileName } from "../shared/file-name.ts";
import { getBodySize, UNCOMPRESSED } from "../shared/file-size.ts";
import { describeCure, findDeclaredType, findLikelyType, findMediaType, MEDIA_TYPES } from "../shared/media-types.ts";
import { getRemovalTime } from "./expiry.ts";
import { buildUpload } from "./new-upload.ts";

/** Of reading a URL and storing its bytes. */
const IMPORT_TIMEOUT_MS = 5 * 60 * 1000;

/** The upload with its bytes, still to be verified. Throws `media_unreachable`, and `upload_failed` for what cannot be a file. */
export async function importUrl(context: RequestContext, url: string): Promise<UploadRow> {
  const signal = AbortSignal.timeout(IMPORT_TIMEOUT_MS);
  const policy = { fetch: context.fetch, resolveHost: context.resolveHost, allowedHosts: context.env.allowedHosts };
  const source = await safeFetch(policy, url, { signal, headers: UNCOMPRESSED }).catch((error: unknown) => {
    throw unreachableError(describeFetchError(error));
  });
  try {
    return await storeSource(context, policy, url, source, signal);
  } finally {
    if (!source.bodyUsed) await source.body?.cancel();
  }
}

async function storeSource(
  context: RequestContext,
  policy: FetchPolicy,
  url: string,
  source: Response,
  signal: AbortSignal,
): Promise<UploadRow> {
  const { ok, status, headers, body } = source;
  if (!ok || !body) throw unreachableError(`The URL returned HTTP ${status}.`);
  const filename = getFileName(url, "").replaceAll(/[/\\]/g, "_") || undefined;
  const named = headers.get("content-type") ?? "";
  // Servers often name a wrong type.
  const name = findDeclaredType(named) === null && (await beginsAsMedia(policy, url)) ? "" : named;
  const declaredType = findDeclaredType(name);
  const contentType = findLikelyType(name, filename ?? "");
  if (!declaredType || !contentType) {
    const allowed = `The URL must return one of ${MEDIA_TYPES.join(", ")}.`;
    throw apiError("upload_failed", `The URL returned ${named}. ${allowed} ${describeCure(named)}`);
  }
  const size = getBodySize(source);
  const limit = getMaxBytes(contentType);
  if (!size) {
    throw unreachableError("The server does not say how large the file is. Upload the file instead.");
  }
  if (size > limit) throw apiError("upload_failed", `The file has ${size} bytes; at most ${limit} are allowed.`);
  const whole = { size, multipartId: null, partSize: null, partCount: null };
  const upload = { ...buildUpload(context, { declaredType, filename }, UPLOAD_URL_SECONDS * 1000), ...whole };
  const stored = await insertUpload(context.db, context.key.scope, upload, getRemovalTime(upload.expiresAt));
  const target = await (await context.storage()).presignPut(upload.objectKey, contentType, size);
  const sent = await context
    .fetch(target, {
      method: "PUT",
      headers: { "Content-Type": contentType, "Content-Length": String(size) },
      body: withLength(body, size),
      signal,
      ...({ duplex: "half" } as RequestInit),
    })
    .catch((error: unknown) => {
      throw unreachableError(describeFetchError(error));
    });
  await sent.body?.cancel();
  if (!sent.ok) throw unavailableError("file storage", new Error(`PUT returned HTTP ${sent.status}`));
  return stored;
}

async function beginsAsMedia(policy: FetchPolicy, url: string): Promise<boolean> {
  const { head } = await probeUrl(policy, url).catch((error: unknown) => {
    throw unreachableError(describeFetchError(error));
  });
  return findMediaType(sniffMimeType(head) ?? "") !== null;
}

/** Workers send a stream without a length unless it is a `FixedLengthStream`. */
function withLength(stream: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  return typeof FixedLengthStream === "undefined" ? stream : stream.pipeThrough(new FixedLengthStream(length));
}

function unreachableError(reason: string): ApiError {
  return apiError("media_unreachable", reason);
}
