// The addresses under which the networks would show a post.
import { createHash } from "node:crypto";
import type { Platform } from "../../../lib/shared/platforms.ts";
import { hashToDigits } from "../../../lib/simulator/networks/post-history.ts";
import type { SeededAccount } from "../seed.ts";

const BUILDERS: Record<Platform, (seed: string, username: string) => [id: string, url: string]> = {
  tiktok: (seed, username) =>
    withId(`73${hashToDigits(seed, 17)}`, (id) => `https://www.tiktok.com/@${username}/video/${id}`),
  instagram: (seed) => withId(`180${hashToDigits(seed, 14)}`, (id) => `https://www.instagram.com/p/${toCode(id)}/`),
  youtube: (seed) => withId(toCode(seed), (id) => `https://www.youtube.com/watch?v=${id}`),
  twitter: (seed) => withId(`19${hashToDigits(seed, 17)}`, (id) => `https://x.com/i/web/status/${id}`),
  threads: (seed, username) =>
    withId(`179${hashToDigits(seed, 14)}`, (id) => `https://www.threads.net/@${username}/post/${toCode(id)}`),
  linkedin: (seed) =>
    withId(`urn:li:share:7${hashToDigits(seed, 18)}`, (id) => `https://www.linkedin.com/feed/update/${id}/`),
  facebook: (seed, username) =>
    withId(hashToDigits(seed, 15), (id) => `https://www.facebook.com/${username}/posts/${id}`),
  bluesky: (seed, username) =>
    withId(`3l${toCode(seed).toLowerCase()}`, (id) => `https://bsky.app/profile/${username}/post/${id}`),
  pinterest: (seed) => withId(hashToDigits(seed, 18), (id) => `https://www.pinterest.com/pin/${id}/`),
};

export function buildPermalink({ platform, username }: SeededAccount, seed: string): { id: string; url: string } {
  const [id, url] = BUILDERS[platform](seed, username);
  return { id, url };
}

const withId = (id: string, buildUrl: (id: string) => string): [string, string] => [id, buildUrl(id)];

const toCode = (seed: string) => createHash("sha256").update(seed).digest("base64url").slice(0, 11);
