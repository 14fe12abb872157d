// The objects of events by noun: what the read of the noun returns.
import * as z from "zod";
import type { EventNoun } from "../shared/event-types.ts";
import { Account } from "./account.ts";
import { RefreshRequested } from "./analytics.ts";
import { Approval } from "./approval.ts";
import { Id, Instant } from "./common.ts";
import { Project } from "./editor.ts";
import { FileDetails } from "./file.ts";
import { AccountState, Post } from "./post.ts";
import { Slideshow } from "./slideshow.ts";
import { Webhook } from "./webhook.ts";

const PostDelivery = z.object({ post_id: Id, ...AccountState.shape }).meta({ id: "PostDelivery" });

const RejectedUpload = z
  .object({
    id: Id,
    contentType: z.string(),
    filename: z.string(),
    size: z.int().nullable(),
    status: z.literal("rejected"),
    reason: z.string().nullable(),
    createdAt: Instant,
  })
  .meta({ id: "RejectedUpload" });

const ApiDocument = z
  .object({
    version: z.string(),
    openapi_sha256: z.string(),
    previous_sha256: z.string().nullable(),
  })
  .meta({ id: "ApiDocument" });

export const EVENT_OBJECTS = {
  post: Post,
  delivery: PostDelivery,
  account: Account,
  file: FileDetails,
  upload: RejectedUpload,
  slideshow: Slideshow,
  project: Project,
  refresh: RefreshRequested,
  approval: Approval,
  webhook: Webhook,
  api: ApiDocument,
} as const satisfies Record<EventNoun, z.ZodType>;
