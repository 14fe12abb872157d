// Fills the workspace of the key `workspace`, so that who starts the product for the first time sees one that is in use.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { findCredential } from "../../../lib/queries/keys.ts";
import { insertKey } from "../../../lib/queries/tenants.ts";
import { openCommandDatabase } from "../../../lib/services/database.ts";
import { at } from "../../../lib/shared/at.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import type { PostMedia } from "../../../lib/shared/post-media.ts";
import type { Scope } from "../../../lib/shared/scope.ts";
import { createCaller } from "../../browser/call-api.ts";
import { resetRateLimits } from "../reset-rate-limits.ts";
import type { LocalStack } from "../stack.ts";
import { createContent, createSlideshows, type SampleMediaFiles, uploadMedia } from "./create-content.ts";
import { registerHistories, storeThumbnails } from "./history-accounts.ts";
import { insertAnalytics } from "./insert-analytics.ts";
import { insertPastPosts } from "./insert-past-posts.ts";
import { moveToThePast } from "./move-to-the-past.ts";
import { renderPictures } from "./pictures.ts";
import type { SampleMedia, SamplePost } from "./story.ts";
import { COMING_POSTS, DRAFTS, PAST_POSTS } from "./story-posts.ts";

const FIRST_DAY = -28;

/** Written once the sample is complete. */
const MARKER = "sample.json";

export interface Sample {
  /** Needs the Worker. An error is logged: the stack is of use without the sample. */
  fill(origin: string): Promise<void>;
}

/**
 * Begins with what needs no Worker, while the Worker starts. A state that was there before, which may be somebody's work, gets
 * no sample; the fake networks are told again what they list of a sample's accounts.
 */
export function prepareSample(stack: LocalStack, folder: string, log: (line: string) => void): Sample | null {
  const marker = join(folder, MARKER);
  if (!stack.isNew) {
    if (existsSync(marker)) registerHistories(stack);
    return null;
  }
  const now = new Date();
  const describe = (error: unknown) =>
    log(`the sample content is incomplete; npm start -- --fresh begins again: ${(error as Error).message}`);
  const preparing = prepare(stack, now).catch(describe);
  return {
    async fill(origin) {
      const prepared = await preparing;
      if (!prepared) return;
      await fillWorkspace(stack, origin, prepared)
        .then(() => writeFile(marker, JSON.stringify({ at: now }), { mode: 0o600 }))
        .catch(describe);
    },
  };
}

interface PreparedSample {
  pictures: ReadonlyMap<string, Uint8Array>;
  scope: Scope;
  now: Date;
}

async function prepare(stack: LocalStack, now: Date): Promise<PreparedSample> {
  const db = openCommandDatabase(stack.databaseConfig, "sample");
  const found = await findCredential(db, {
    publicId: at(stack.seed.keys.workspace.split("."), 0),
    secretHash: "",
    operation: "",
  });
  if (!found) throw new Error("The key of the workspace is unknown.");
  const { scope } = found.credential;
  const [archive, channel] = registerHistories(stack);
  const tracked = [
    { account: archive, displayName: "North Light, archive" },
    { account: channel, displayName: "North Light Films" },
  ].flatMap(({ account, ...names }) => (account ? [{ account, ...names }] : []));
  const [pictures] = await Promise.all([renderPictures(), insertAnalytics(db, scope, tracked, now)]);
  await storeThumbnails(stack, pictures);
  return { pictures, scope, now };
}

/** With a key of its own, so that the list of requests of the other keys stays empty. */
async function fillWorkspace(stack: LocalStack, origin: string, sample: PreparedSample): Promise<void> {
  const { scope, now, pictures } = sample;
  const db = openCommandDatabase(stack.databaseConfig, "sample");
  const key = { id: newId(), name: "Content studio", kind: "key" as const, expiresAt: null };
  const call = createCaller(origin, await insertKey(db, scope, key));
  const files = await uploadMedia(call, pictures);
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const toInstant = ({ day, time }: Pick<SamplePost, "day" | "time">) =>
    new Date(today + day * DAY_MS + Date.parse(`1970-01-01T${time}Z`));
  const findAccount = (platform: string) => {
    const accounts = stack.seed.accounts.filter((one) => one.key === "workspace" && one.platform === platform);
    return at(accounts, 0);
  };
  const since = new Date(today + FIRST_DAY * DAY_MS);
  const { query } = stack.database;
  const createPosts = async (media: PostMediaFiles, isAmong: (post: PostContent) => boolean) => {
    const posts = PAST_POSTS.filter(isAmong);
    const findMediaOf = (post: PostContent) => findMedia(media, post.media);
    await insertPastPosts(query, { scope, posts, findAccount, now, since, toInstant, findMedia: findMediaOf });
    const toBody = (post: PostContent) => ({
      caption: post.caption,
      accounts: post.platforms.map((platform) => ({ id: findAccount(platform).id })),
      media: findMediaOf(post),
    });
    for (const post of COMING_POSTS.filter(isAmong)) {
      await call("POST", "/posts", { ...toBody(post), scheduled_at: toInstant(post).toISOString() });
    }
    for (const draft of DRAFTS.filter(isAmong)) await call("POST", "/posts/prepare", toBody(draft));
  };
  // The Worker renders slides while the database stores posts.
  const [slides] = await Promise.all([
    createSlideshows(call, files),
    createContent(call, files),
    createPosts({ ...files, slides: new Map() }, (post) => !hasSlideshow(post)),
  ]);
  await createPosts({ ...files, slides }, hasSlideshow);
  await moveToThePast(query, scope, now, since);
  // The first request of a person finds every limit unused.
  await resetRateLimits(stack.vars);
}

type PostContent = Pick<SamplePost, "caption" | "media" | "platforms">;
type PostMediaFiles = SampleMediaFiles & { slides: ReadonlyMap<string, string[]> };

const hasSlideshow = ({ media }: PostContent) => media !== null && "slideshow" in media;

function findMedia({ pictures, video, slides }: PostMediaFiles, media: SampleMedia): PostMedia | null {
  if (media === null) return null;
  if ("video" in media) return { type: "video", url: video.url };
  if ("slideshow" in media) return { type: "slideshow", urls: slides.get(media.slideshow) ?? [] };
  return { type: "slideshow", urls: media.pictures.flatMap((scene) => pictures.get(scene)?.url ?? []) };
}
