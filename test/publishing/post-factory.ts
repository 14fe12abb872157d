// Builds posts and media facts for validation tests without database and network.
import { expect } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { type Content, getFailure, type Job } from "../../lib/platforms/platform.ts";
import { selectContent } from "../../lib/publishing/content.ts";
import type { MediaFacts } from "../../lib/publishing/load-references.ts";
import { findProblems, type Problem } from "../../lib/publishing/preflight.ts";
import type { ContentKind } from "../../lib/schemas/content-kinds.ts";
import type { PostCreate } from "../../lib/schemas/post-body.ts";
import type { Platform } from "../../lib/shared/platforms.ts";

const ACCOUNT = "0199a000-0000-7000-8000-000000000001";
const NOW = new Date("2026-11-20T12:00:00Z");

export type AccountType = "byo" | "hosted";
type Facts = Partial<MediaFacts>;

/** One post of one account. `media` has the known facts of each image, or of the video. */
export interface PostDraft {
  caption?: string;
  media?: { video: Facts } | { images: Facts[] } | null;
  options?: Pick<PostCreate, "tiktok" | "pinterest" | "settings">;
}

export function requireCapabilities(platform: Platform, type: AccountType) {
  const able = getCapabilities(platform, type);
  if (!able) throw new Error(`No capabilities for ${platform}`);
  return able;
}

/** Settings without which a network rejects every post. */
const REQUIRED_SETTINGS: Partial<Record<Platform, PostDraft["options"]>> = {
  pinterest: { pinterest: { board_id: "42" } },
};

/** Builds media of a kind that breaks no rule of the account. */
export function buildValidMedia(kind: ContentKind, platform: Platform, type: AccountType): PostDraft["media"] {
  const { images, videos } = requireCapabilities(platform, type);
  const image = { contentType: images.types[0] ?? "image/jpeg", width: 1080, height: 1080, bytes: 1_000 };
  if (kind === "text_only") return null;
  if (kind === "single_image") return { images: [image] };
  if (kind === "multi_image") return { images: [image, image] };
  return { video: { contentType: videos.types[0] ?? "video/mp4", bytes: 1_000, durationMs: 20_000 } };
}

export function findProblemsFor(platform: Platform, type: AccountType, draft: PostDraft): Problem[] {
  const { post, facts } = buildPostBody(platform, type, draft);
  const name = { username: "northlight", displayName: "Northlight" };
  const tokens = { tokenExpiresAt: null, refreshTokenExpiresAt: null, hasRefreshToken: true };
  const account = { id: ACCOUNT, platform, type, status: "active" as const, workspaceId: null, ...name, ...tokens };
  return findProblems(post, { accounts: new Map([[ACCOUNT, account]]), media: facts }, NOW);
}

/** Expected problems of the account, with any message. */
export function expectedProblems(found: object[]): object[] {
  return found.map((one) => ({ message: expect.any(String), account_id: ACCOUNT, ...one }));
}

/** The same post as the content for a driver. */
function buildContent(platform: Platform, type: AccountType, draft: PostDraft): Content {
  const { post, facts } = buildPostBody(platform, type, draft);
  const { caption, media = null, tiktok = null, pinterest = null, settings = {} } = post;
  return selectContent(platform, { caption, media, musicUrl: null, tiktok, pinterest, settings }, (url) => {
    const { contentType = null, bytes = null, durationMs = null, width = null, height = null } = facts.get(url) ?? {};
    return { url, mimeType: contentType, bytes, durationMs, width, height };
  });
}

function buildPostBody(platform: Platform, type: AccountType, { caption = "A caption", media, options }: PostDraft) {
  const first = requireCapabilities(platform, type).kinds[0] ?? "text_only";
  const parts = media === undefined ? buildValidMedia(first, platform, type) : media;
  const files = parts === null || parts === undefined ? [] : "video" in parts ? [parts.video] : parts.images;
  const urls = files.map((_, at) => `https://files.example/${at}`);
  const unknown = {
    contentType: null,
    bytes: null,
    durationMs: null,
    width: null,
    height: null,
    unreachableReason: null,
  };
  const facts = new Map(files.map((file, at): [string, MediaFacts] => [urls[at] ?? "", { ...unknown, ...file }]));
  const named =
    parts && "video" in parts ? { type: "video" as const, url: urls[0] ?? "" } : { type: "slideshow" as const, urls };
  const accounts = [{ id: ACCOUNT }];
  const post: PostCreate = {
    caption,
    accounts,
    media: parts ? named : null,
    ...(options ?? REQUIRED_SETTINGS[platform]),
  };
  return { post, facts };
}

/** Calls `start` of the driver with a network whose requests all fail. */
export async function startPost(platform: Platform, draft: PostDraft) {
  let calls = 0;
  const failRequest = async () => {
    calls += 1;
    throw new TypeError("fetch failed");
  };
  const job: Job = {
    deliveryId: ACCOUNT,
    content: buildContent(platform, "byo", draft),
    connection: { accountId: ACCOUNT, externalId: "42", accessToken: "token" },
    network: { baseUrl: "https://network.example", clientId: "id", clientSecret: "secret" },
    fetch: failRequest,
    fetchMedia: failRequest,
    now: () => NOW,
  };
  const failed = await drivers[platform]?.start(job).then(() => null, getFailure);
  return { failed, calls };
}
