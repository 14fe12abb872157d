// The posts of an account as its network lists them: generated from the account id, deterministic, with growing metrics.
import { createHash } from "node:crypto";
import { DAY_MS, HOUR_MS } from "../../shared/durations.ts";
import type { NetworkContext } from "./context.ts";
import type { NetworkAccount, PublishedItem } from "./network.ts";

export interface HistoryPost {
  id: string;
  kind: "video" | "image" | "carousel";
  at: Date;
  caption: string;
  url: string;
  /** Undefined where the simulation of the network has one of its own. */
  thumbnail?: string | undefined;
  seconds: number;
  /** Likes are undefined where the owner hides them. */
  metrics: { views: number; likes: number | undefined; comments: number; shares: number; saves: number };
}

/**
 * Facts of an account that define its history. `posts`: the number of generated posts; `postsUntil`: when the newest of them
 * was published, by default when the state of the network began; `shiftDays`: days added to the age of every post; `readsAtMost`: the
 * number of read calls allowed; `hidesLikes`: the owner hides the likes of every post; `captions` and `thumbnails`: those of
 * the generated posts, in turn; `hours`: the hours of the day, in UTC, at which they were published, by default any.
 */
interface HistoryFacts {
  posts?: number;
  postsUntil?: string;
  shiftDays?: number;
  readsAtMost?: number;
  hidesLikes?: boolean;
  captions?: string[];
  thumbnails?: string[];
  hours?: number[];
}

export interface PostFormat {
  buildId(seed: string): string;
  buildUrl(id: string, account: NetworkAccount): string;
  kinds: readonly HistoryPost["kind"][];
}

/** A network, or any moment. */
type HistoryClock = Pick<NetworkContext, "now" | "startedAt">;

/** A pseudo-random number from 0 to 1, the same for equal words. */
function hashToUnit(...words: (string | number)[]): number {
  return createHash("sha256").update(words.join(" ")).digest().readUInt32BE(0) / 2 ** 32;
}

export function hashToDigits(seed: string, count: number): string {
  const number = BigInt(`0x${createHash("sha256").update(seed).digest("hex")}`) % 10n ** BigInt(count);
  return String(number).padStart(count, "0");
}

/** The last time before `at` at which a clock shows this hour in UTC, with the same minutes. */
function moveBackToHour(at: number, hour: number): number {
  return at - ((new Date(at).getUTCHours() - hour + 24) % 24) * HOUR_MS;
}

/** Newest first: the generated posts and those published since. */
export function buildPostHistory(
  context: HistoryClock,
  account: NetworkAccount,
  published: PublishedItem[],
  format: PostFormat,
): HistoryPost[] {
  const {
    posts = 0,
    postsUntil,
    shiftDays = 0,
    hidesLikes = false,
    captions = [],
    thumbnails = [],
    hours = [],
  } = (account.facts ?? {}) as HistoryFacts;
  const newest = postsUntil ? Date.parse(postsUntil) : context.startedAt;
  const generated = Array.from({ length: posts }, (_, place): HistoryPost => {
    const seed = `${account.platform} ${account.externalId} ${place}`;
    const id = format.buildId(seed);
    // One post every 1.5 days at a random time, in whole seconds.
    const any = Math.floor((newest - place * 1.5 * DAY_MS - hashToUnit(seed, "at") * DAY_MS) / 1000) * 1000;
    const hour = hours[Math.floor(hashToUnit(seed, "hour") * hours.length)];
    const at = hour === undefined ? any : moveBackToHour(any, hour);
    const kind = format.kinds[Math.floor(hashToUnit(seed, "kind") * format.kinds.length)] ?? "video";
    const caption =
      captions[place % captions.length] ?? `Post ${posts - place} of ${account.username ?? account.externalId}`;
    return buildPost(
      context.now(),
      seed,
      {
        id,
        kind,
        at: new Date(at),
        caption,
        url: format.buildUrl(id, account),
        thumbnail: thumbnails[place % thumbnails.length],
      },
      shiftDays,
      hidesLikes,
    );
  });
  const publishedHere = published
    .filter((item) => item.account === account.externalId && item.url !== null && item.kind !== "comment")
    .map((item) => {
      const kind = item.media.length > 1 ? "carousel" : /image/i.test(item.media[0]?.type ?? "") ? "image" : "video";
      const { id, caption, title, url } = item;
      const content = { caption: caption || (title ?? ""), url: url ?? "" };
      return buildPost(context.now(), id, { id, kind, at: new Date(item.at), ...content }, shiftDays, hidesLikes);
    });
  return [...generated, ...publishedHere].sort((a, b) => b.at.getTime() - a.at.getTime());
}

/** Views grow fast at first and then level off; the other metrics are proportional to them. */
function buildPost(
  now: number,
  seed: string,
  post: Omit<HistoryPost, "metrics" | "seconds">,
  shiftDays: number,
  hidesLikes: boolean,
): HistoryPost {
  const age = Math.max(0, now - post.at.getTime()) / DAY_MS + shiftDays;
  const finalViews = 500 + Math.floor(hashToUnit(seed, "views") ** 3 * 100_000);
  const views = Math.floor(finalViews * (1 - Math.exp(-(age + 0.05) / 4)));
  const part = (name: string, share: number) => Math.floor(views * share * (0.5 + hashToUnit(seed, name)));
  return {
    ...post,
    seconds: 5 + Math.floor(hashToUnit(seed, "seconds") * 85),
    metrics: {
      views,
      likes: hidesLikes ? undefined : part("likes", 0.06),
      comments: part("comments", 0.008),
      shares: part("shares", 0.004),
      saves: part("saves", 0.006),
    },
  };
}

/** Returns a function that counts a read call of an account and returns true once the limit is exceeded. */
export function createReadQuota(context: NetworkContext): (account: NetworkAccount) => boolean {
  const counts = context.map<number>("reads");
  return ({ externalId, facts }) => {
    const count = (counts.get(externalId) ?? 0) + 1;
    counts.set(externalId, count);
    return count > ((facts as HistoryFacts | undefined)?.readsAtMost ?? Number.POSITIVE_INFINITY);
  };
}
