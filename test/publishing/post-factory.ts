// Builds posts and media facts for validation tests without database and network.
import { expect } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { getFailure, type Job, type MediaFile } from "../../lib/platforms/platform.ts";
import { checkPost, type Problem } from "../../lib/publishing/check-post.ts";
import { selectContent } from "../../lib/publishing/content.ts";
import { toHintedFile } from "../../lib/publishing/load-references.ts";
import type { ContentKind } from "../../lib/schemas/content-kinds.ts";
import type { PostContent, PostDraft } from "../../lib/schemas/post-body.ts";
import { at } from "../../lib/shared/at.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import type { PostMedia } from "../../lib/shared/post-media.ts";
import { AT_ONCE } from "../../lib/shared/schedule.ts";

const ACCOUNT = "0199a000-0000-7000-8000-000000000001";
const NOW = new Date("2026-11-20T12:00:00Z");

export type AccountType = "byo" | "hosted";
type Facts = Partial<MediaFile>;

/** The known facts of each image, of the video, or of each item of a carousel. */
type TestMedia = { video: Facts } | { images: Facts[] } | { items: ({ image: Facts } | { video: Facts })[] };

/** One post of one account. */
export interface TestPost {
  caption?: string;
  media?: TestMedia | null;
  options?: Partial<Pick<PostContent, "tiktok" | "pinterest" | "settings" | "link">>;
}

/** Settings without which a network rejects every post. */
const REQUIRED_SETTINGS: Partial<Record<Platform, TestPost["options"]>> = {
  pinterest: { pinterest: { board_id: "42" } },
};

/** Builds media of a kind that breaks no rule of the account. */
export function buildValidMedia(kind: ContentKind, platform: Platform, type: AccountType): TestMedia | null {
  const { images, videos } = getCapabilities(platform, type);
  const image = { mimeType: images.types[0] ?? "image/jpeg", width: 1080, height: 1080, bytes: 1_000 };
  if (kind === "text_only") return null;
  if (kind === "single_image") return { images: [image] };
  if (kind === "multi_image") return { images: [image, image] };
  const video = { mimeType: videos.types[0] ?? "video/mp4", bytes: 1_000, durationMs: 20_000 };
  return kind === "mixed_carousel" ? { items: [{ image }, { video }] } : { video };
}

export function findProblemsFor(platform: Platform, type: AccountType, post: TestPost): Problem[] {
  const { draft, files } = buildDraft(platform, type, post);
  const name = { username: "northlight", displayName: "Northlight" };
  const tokens = { tokenExpiresAt: null, refreshTokenExpiresAt: null, hasRefreshToken: true, grantedScopes: null };
  const more = { status: "active" as const, workspaceId: null, nearbyPosts: [] };
  const account = { id: ACCOUNT, platform, type, ...more, ...name, ...tokens };
  const references = {
    accounts: new Map([[ACCOUNT, account]]),
    files,
    cards: new Map(),
    timeZone: "UTC",
    isTestMode: false,
  };
  return checkPost(draft, references, NOW).problems;
}

/** Expected problems of the account, with any message. */
export function expectedProblems(found: object[]): object[] {
  return found.map((one) => ({ message: expect.any(String), account_id: ACCOUNT, ...one }));
}

/** The post as its schema returns it, with the facts of its files. */
function buildDraft(platform: Platform, type: AccountType, { caption = "A caption", media, options }: TestPost) {
  const first = getCapabilities(platform, type).kinds[0] ?? "text_only";
  const parts = media === undefined ? buildValidMedia(first, platform, type) : media;
  const files = listFacts(parts).map(
    (known, at): MediaFile => ({ ...toHintedFile(`https://files.example/${at}`, null), ...known }),
  );
  const draft: PostDraft = {
    ...{ caption, accounts: [{ id: ACCOUNT }], media: nameMedia(parts, files), musicUrl: null },
    ...{ tiktok: null, pinterest: null, settings: {}, ...AT_ONCE, externalId: null },
    ...{ overrides: [], firstComment: null, thread: null, link: null },
    ...(options ?? REQUIRED_SETTINGS[platform]),
  };
  return { draft, files: new Map(files.map((file) => [file.url, file])) };
}

function listFacts(media: TestMedia | null): Facts[] {
  if (!media) return [];
  if ("items" in media) return media.items.map((item) => ("video" in item ? item.video : item.image));
  return "video" in media ? [media.video] : media.images;
}

/** The media as a request names them; `files` are in their order. */
function nameMedia(media: TestMedia | null, files: MediaFile[]): PostMedia | null {
  if (!media) return null;
  const urls = files.map(({ url }) => url);
  if ("items" in media) {
    const items = media.items.map((item, index) => ({
      type: "video" in item ? ("video" as const) : ("image" as const),
      url: at(urls, index),
    }));
    return { type: "carousel", items };
  }
  return "video" in media ? { type: "video", url: at(urls, 0) } : { type: "slideshow", urls };
}

/** Calls `start` of the driver with a network whose requests all fail. */
export async function startPost(platform: Platform, post: TestPost) {
  const { draft, files } = buildDraft(platform, "byo", post);
  let calls = 0;
  const failRequest = async () => {
    calls += 1;
    throw new TypeError("fetch failed");
  };
  const job: Job = {
    deliveryId: ACCOUNT,
    content: selectContent(draft, { id: ACCOUNT, platform }, (url) => files.get(url)),
    connection: { accountId: ACCOUNT, externalId: "42", accessToken: "token" },
    network: { baseUrl: "https://network.example", clientId: "id", clientSecret: "secret" },
    fetch: failRequest,
    fetchMedia: failRequest,
    now: () => NOW,
  };
  const failed = await drivers[platform].start(job).then(() => null, getFailure);
  return { failed, calls };
}
