// Posts and what is known of their parts, made by hand: for checks that need neither database nor network.
import { expect } from "vitest";
import { capabilitiesOf } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { type Content, failureOf, type Job, type Platform } from "../../lib/platforms/platform.ts";
import type { ContentKind } from "../../lib/platforms/rules.ts";
import { contentFor } from "../../lib/publishing/content.ts";
import { type Problem, problemsOf } from "../../lib/publishing/preflight.ts";
import type { MediaFacts } from "../../lib/publishing/resolve.ts";
import type { PostCreate } from "../../lib/schemas/post-body.ts";

const ACCOUNT = "0199a000-0000-7000-8000-000000000001";
const NOW = new Date("2026-11-20T12:00:00Z");

export type AccountType = "byo" | "hosted";
type Facts = Partial<MediaFacts>;

/** One post of one account. `media` gives what is known of each image, or of the video. */
export interface Draft {
  caption?: string;
  media?: { video: Facts } | { images: Facts[] } | null;
  said?: Pick<PostCreate, "tiktok" | "pinterest" | "settings">;
}

export function limitsOf(platform: Platform, type: AccountType) {
  const able = capabilitiesOf(platform, type);
  if (!able) throw new Error(`no capabilities for ${platform}`);
  return able;
}

/** What makes a post of the network publishable that says nothing else. */
const NEEDED: Partial<Record<Platform, Draft["said"]>> = { pinterest: { pinterest: { board_id: "42" } } };

/** Media of a kind that breaks no rule of the account. */
export function fitting(kind: ContentKind, platform: Platform, type: AccountType): Draft["media"] {
  const { images, videos } = limitsOf(platform, type);
  const image = { contentType: images.types[0] ?? "image/jpeg", width: 1080, height: 1080, bytes: 1_000 };
  if (kind === "text_only") return null;
  if (kind === "single_image") return { images: [image] };
  if (kind === "multi_image") return { images: [image, image] };
  return { video: { contentType: videos.types[0] ?? "video/mp4", bytes: 1_000, durationMs: 20_000 } };
}

export function problemsFor(platform: Platform, type: AccountType, draft: Draft): Problem[] {
  const { post, facts } = postOf(platform, type, draft);
  const name = { username: "northlight", displayName: "Northlight" };
  const account = { id: ACCOUNT, platform, type, status: "active" as const, workspaceId: null, ...name };
  return problemsOf(post, { accounts: new Map([[ACCOUNT, account]]), media: facts }, NOW);
}

/** Problems as the account gets them, whatever their words. */
export function told(found: object[]): object[] {
  return found.map((one) => ({ message: expect.any(String), account_id: ACCOUNT, ...one }));
}

/** The same post as a driver would get it. */
function contentOf(platform: Platform, type: AccountType, draft: Draft): Content {
  const { post, facts } = postOf(platform, type, draft);
  const { caption, media = null, tiktok = null, pinterest = null, settings = {} } = post;
  return contentFor(platform, { caption, media, musicUrl: null, tiktok, pinterest, settings }, (url) => {
    const { contentType = null, bytes = null, durationMs = null, width = null, height = null } = facts.get(url) ?? {};
    return { url, mimeType: contentType, bytes, durationMs, width, height };
  });
}

function postOf(platform: Platform, type: AccountType, { caption = "A caption", media, said }: Draft) {
  const first = limitsOf(platform, type).kinds[0] ?? "text_only";
  const parts = media === undefined ? fitting(first, platform, type) : media;
  const files = parts === null || parts === undefined ? [] : "video" in parts ? [parts.video] : parts.images;
  const urls = files.map((_, at) => `https://files.example/${at}`);
  const unknown = { contentType: null, bytes: null, durationMs: null, width: null, height: null, unreachable: null };
  const facts = new Map(files.map((file, at): [string, MediaFacts] => [urls[at] ?? "", { ...unknown, ...file }]));
  const named =
    parts && "video" in parts ? { type: "video" as const, url: urls[0] ?? "" } : { type: "slideshow" as const, urls };
  const accounts = [{ id: ACCOUNT }];
  const post: PostCreate = { caption, accounts, media: parts ? named : null, ...(said ?? NEEDED[platform]) };
  return { post, facts };
}

/** Begins a post at its driver, behind which every call ends in a refused connection. */
export async function startedWith(platform: Platform, draft: Draft) {
  let calls = 0;
  const refuse = async () => {
    calls += 1;
    throw new TypeError("fetch failed");
  };
  const job: Job = {
    deliveryId: ACCOUNT,
    content: contentOf(platform, "byo", draft),
    connection: { accountId: ACCOUNT, externalId: "42", accessToken: "token" },
    network: { baseUrl: "https://network.example", clientId: "id", clientSecret: "secret" },
    fetch: refuse,
    fetchMedia: refuse,
    now: () => NOW,
  };
  const failed = await drivers[platform]?.start(job).then(() => null, failureOf);
  return { failed, calls };
}
