// The first comment on networks where a comment is no post of its own: written by one call, found again among those of the post.
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { isSameText, measureCaption } from "./caption.ts";
import {
  type Content,
  contentFailure,
  type Driver,
  failure,
  type Handle,
  type Job,
  type Violation,
} from "./platform.ts";
import type { PublishedPart } from "./published-post.ts";
import { inconclusiveIfRejected } from "./reconcile-errors.ts";
import type { Capabilities } from "./rules.ts";

/** A comment that the account itself wrote. */
export interface OwnComment extends PublishedPart {
  text: string;
}

export interface CommentCalls {
  /** The single irreversible call. */
  create(job: Job, postId: string): Promise<PublishedPart>;
  /** Read only: the account's comments below the post; `isComplete` is false when there may be more of them. */
  list(job: Job, postId: string): Promise<{ comments: OwnComment[]; isComplete: boolean }>;
}

/** Returns the driver with first comments; everything else is left to it. */
export function withComments(driver: Driver, { create, list }: CommentCalls): Driver {
  const isComment = (job: Job) => job.part?.kind === "comment";
  return {
    ...driver,

    async start(job) {
      if (!isComment(job)) return driver.start(job);
      assertLength(driver, job.content.caption);
      return {};
    },

    poll: async (job, handle) => (isComment(job) ? { state: "ready" } : driver.poll(job, handle)),

    async publish(job, handle) {
      return isComment(job) ? toPublished(await create(job, getPostId(job))) : driver.publish(job, handle);
    },

    async reconcile(job, handle: Handle): ReturnType<Driver["reconcile"]> {
      if (!isComment(job)) return driver.reconcile(job, handle);
      // Before ours there is no other comment of the account with this text: the post is as new as its comment.
      const found = await inconclusiveIfRejected(list(job, getPostId(job)));
      if ("state" in found) return found;
      const own = found.comments.find(({ text }) => isSameText(text, job.content.caption));
      if (own) return toPublished(own);
      return { state: found.isComplete ? "not_published" : "cannot_tell" };
    },
  };
}

const toPublished = ({ id, url }: PublishedPart) => ({ state: "published" as const, platformPostId: id, url });

/** Without the id of the post nothing is started. */
const getPostId = ({ part }: Job): string => part?.root.id ?? "";

function assertLength({ capabilities, platform }: Driver, text: string): void {
  const { limit, unit } = capabilities.firstComment ?? { limit: 0, unit: "utf16" };
  const actual = measureCaption(text, unit);
  if (actual <= limit) return;
  const { name } = PLATFORM_DETAILS[platform];
  const message = `The first comment has ${actual} characters, but ${name} allows at most ${limit}. Create a new post with a shorter one.`;
  throw contentFailure("first_comment_too_long", message);
}

/** The account's consent does not cover comments; everything else keeps working. */
export function commentsForbidden({ platform, firstComment }: Pick<Capabilities, "platform" | "firstComment">) {
  const { name } = PLATFORM_DETAILS[platform];
  const missing = describePermission(firstComment?.permission);
  const message = `${name} does not let this service comment: the account has not granted ${missing}. Reconnect the account and allow it, then retry the post. Publishing to it keeps working.`;
  return failure({ class: "account", code: "permission_missing", message });
}

/** No page of Meta says that a story has comments by its API. */
export function findStoryComment(name: string, { firstComment }: Pick<Content, "firstComment">): Violation[] {
  if (!firstComment) return [];
  const message = `The API of ${name} comments below posts and reels, not below stories. Remove first_comment.`;
  return [{ path: "first_comment", code: "first_comment_unsupported", message }];
}

/** Any of several is enough: LinkedIn has one for members and one for pages. */
export const describePermission = (permission: readonly string[] = []): string => permission.join(" or ");
