// Counts URLs of other hosts, each of which costs a fetch.
import type { Env } from "./env.ts";

/** The number of different URLs that are not on our CDN. */
export function countOutsideUrls(urls: Iterable<string>, { CDN_URL }: Pick<Env, "CDN_URL">): number {
  const cdn = `${CDN_URL.replace(/\/$/, "")}/`;
  return [...new Set(urls)].filter((url) => !url.startsWith(cdn)).length;
}
