// What an account has posted, for whoever reads it: made up from its id and the same every time, with figures that grow.
import { createHash } from "node:crypto";
import type { NetworkAccount, PublishedItem } from "./network.ts";

export interface LibraryPost {
  id: string;
  kind: "video" | "image" | "carousel";
  at: Date;
  caption: string;
  url: string;
  seconds: number;
  metrics: { views: number; likes: number; comments: number; shares: number; saves: number };
}

/**
 * Facts of an account that shape its library. `posts`: how many it made before; `postsUntil`: when the newest of them
 * came out, at the start of the stand-ins unless told; `shiftDays`: how much older everything looks; `readsAtMost`: how many calls its readers may make.
 */
interface Shape {
  posts?: number;
  postsUntil?: string;
  shiftDays?: number;
  readsAtMost?: number;
}

export interface Named {
  id(seed: string): string;
  url(id: string, account: NetworkAccount): string;
  kinds: readonly LibraryPost["kind"][];
}

const DAY_MS = 24 * 3_600_000;
const STARTED = Date.now();

/** From 0 to 1, the same for the same words. */
function chance(...words: (string | number)[]): number {
  return createHash("sha256").update(words.join(" ")).digest().readUInt32BE(0) / 2 ** 32;
}

export function digits(seed: string, count: number): string {
  const number = BigInt(`0x${createHash("sha256").update(seed).digest("hex")}`) % 10n ** BigInt(count);
  return String(number).padStart(count, "0");
}

/** Newest first: what the account made before, and what was published here since. */
export function libraryOf(account: NetworkAccount, published: PublishedItem[], named: Named): LibraryPost[] {
  const { posts = 0, postsUntil, shiftDays = 0 } = (account.facts ?? {}) as Shape;
  const newest = postsUntil ? Date.parse(postsUntil) : STARTED;
  const made = Array.from({ length: posts }, (_, place): LibraryPost => {
    const seed = `${account.platform} ${account.externalId} ${place}`;
    const id = named.id(seed);
    // A post every day and a half, at any hour, whole seconds apart.
    const at = Math.floor((newest - place * 1.5 * DAY_MS - chance(seed, "at") * DAY_MS) / 1000) * 1000;
    const kind = named.kinds[Math.floor(chance(seed, "kind") * named.kinds.length)] ?? "video";
    const caption = `Post ${posts - place} of ${account.username ?? account.externalId}`;
    return postOf(seed, { id, kind, at: new Date(at), caption, url: named.url(id, account) }, shiftDays);
  });
  const here = published
    .filter((item) => item.account === account.externalId && item.url !== null)
    .map((item) => {
      const kind = item.media.length > 1 ? "carousel" : /image/i.test(item.media[0]?.type ?? "") ? "image" : "video";
      const { id, caption, title, url } = item;
      const words = { caption: caption || (title ?? ""), url: url ?? "" };
      return postOf(id, { id, kind, at: new Date(item.at), ...words }, shiftDays);
    });
  return [...made, ...here].sort((a, b) => b.at.getTime() - a.at.getTime());
}

/** Views come fast at first, and the rest follows them. */
function postOf(seed: string, post: Omit<LibraryPost, "metrics" | "seconds">, shiftDays: number): LibraryPost {
  const age = Math.max(0, Date.now() - post.at.getTime()) / DAY_MS + shiftDays;
  const most = 500 + Math.floor(chance(seed, "views") ** 3 * 100_000);
  const views = Math.floor(most * (1 - Math.exp(-(age + 0.05) / 4)));
  const part = (name: string, share: number) => Math.floor(views * share * (0.5 + chance(seed, name)));
  return {
    ...post,
    seconds: 5 + Math.floor(chance(seed, "seconds") * 85),
    metrics: {
      views,
      likes: part("likes", 0.06),
      comments: part("comments", 0.008),
      shares: part("shares", 0.004),
      saves: part("saves", 0.006),
    },
  };
}

/** Counts what the readers of an account ask; true once it is more than they may. */
export function createReadQuota(): (account: NetworkAccount) => boolean {
  const asked = new Map<string, number>();
  return ({ externalId, facts }) => {
    const count = (asked.get(externalId) ?? 0) + 1;
    asked.set(externalId, count);
    return count > ((facts as Shape | undefined)?.readsAtMost ?? Number.POSITIVE_INFINITY);
  };
}
