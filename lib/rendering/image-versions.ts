// Reads the versions of images by URL, so that a slide is rendered again when one of its images has changed.
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { LIMITS } from "../media/limits.ts";
import type { RequestContext } from "../services/context.ts";
import { describeFetchError, safeFetch } from "../services/safe-fetch.ts";

export type ImageVersionServices = Pick<RequestContext, "env" | "fetch" | "resolveHost">;

/** `reason` is a sentence for the customer. */
export type ImageVersion = { version: string } | { reason: string };

const CONCURRENCY = 6;
const TIMEOUT_MS = 15_000;

/** By URL, each fetched once. After the first failure no more are fetched; those are missing in the map. */
export async function readImageVersions(
  services: ImageVersionServices,
  urls: Iterable<string>,
): Promise<Map<string, ImageVersion>> {
  const found = new Map<string, ImageVersion>();
  let failed = false;
  const readOne = async (url: string) => {
    if (failed) return;
    const version = await readImageVersion(services, url);
    found.set(url, version);
    failed ||= "reason" in version;
  };
  await pLimit(CONCURRENCY).map(new Set(urls), readOne);
  return found;
}

async function readImageVersion(services: ImageVersionServices, url: string): Promise<ImageVersion> {
  // Our own object keys are unique to their bytes.
  if (url.startsWith(`${services.env.CDN_URL.replace(/\/$/, "")}/`)) return { version: url };
  try {
    return await fetchVersion(services, url);
  } catch (error) {
    return { reason: describeFetchError(error) };
  }
}

async function fetchVersion({ env, fetch, resolveHost }: ImageVersionServices, url: string): Promise<ImageVersion> {
  const fetchPolicy = { fetch, resolveHost, allowedHosts: env.allowedHosts };
  const response = await safeFetch(fetchPolicy, url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const etag = response.headers.get("etag");
  if (!response.ok || etag?.startsWith('"')) await response.body?.cancel();
  if (!response.ok) return { reason: `The URL returned HTTP ${response.status}.` };
  // A strong etag identifies the bytes. The query is dropped: it may contain a signature that changes every time.
  if (etag?.startsWith('"')) return { version: `${url.split("?")[0]} ${etag}` };
  return hashBody(response.body);
}

async function hashBody(body: ReadableStream<Uint8Array> | null): Promise<ImageVersion> {
  const hash = createHash("sha256");
  let size = 0;
  // Returning from the loop cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > LIMITS.imageBytes) return { reason: "The image is larger than 20 MiB." };
    hash.update(chunk);
  }
  return { version: hash.digest("hex") };
}
