// Reads the page behind a link for its card.
import { describeFetchError } from "../services/safe-fetch.ts";
import { type PageTags, readPageTags } from "./page-tags.ts";

/** https://ogp.me; no page needs more before its tags end. */
export const MAX_PAGE_BYTES = 512 * 1024;
const PAGE_TIMEOUT_MS = 5_000;

const HEADERS = {
  Accept: "text/html,application/xhtml+xml",
  "User-Agent": "Mozilla/5.0 (compatible; LinkPreview/1.0)",
};

/** Fetches addresses of callers: public ones only, also after redirects. */
export type FetchPage = (url: string, init: RequestInit) => Promise<Response>;

/** Of a longer page the first 512 KiB count. Throws an Error whose message is for the customer. */
export async function readLinkTags(fetchPage: FetchPage, url: string): Promise<PageTags> {
  const signal = AbortSignal.timeout(PAGE_TIMEOUT_MS);
  try {
    const response = await fetchPage(url, { headers: HEADERS, signal });
    const contentType = response.headers.get("content-type") ?? "";
    if (!response.ok || !/^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The URL returned HTTP ${response.status}.`);
      throw new Error(`The URL returns no HTML page, but the content type "${contentType || "none"}".`);
    }
    const bytes = await readBeginning(response.body);
    const tags = readPageTags(bytes, contentType, response.url || url);
    if (tags.title === null) throw new Error("The page has neither an og:title nor a title.");
    return tags;
  } catch (error) {
    throw new Error(describeFetchError(signal.aborted ? signal.reason : error), { cause: error });
  }
}

async function readBeginning(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const whole = new Uint8Array(MAX_PAGE_BYTES);
  let size = 0;
  // Returning from the loop cancels the stream.
  for await (const chunk of body ?? []) {
    const part = chunk.subarray(0, MAX_PAGE_BYTES - size);
    whole.set(part, size);
    size += part.length;
    if (size === MAX_PAGE_BYTES) break;
  }
  return whole.subarray(0, size);
}
