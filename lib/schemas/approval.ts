// Approval links: asked for, listed, withdrawn, approved.
import * as z from "zod";
import { DAY_SECONDS } from "../shared/durations.ts";
import { toSingleLine } from "../shared/single-line.ts";
import { Id, Instant } from "./common.ts";
import { PostAccepted } from "./post-changes.ts";

export const ApprovalRequest = z
  .strictObject({
    /** In subjects of mails too. */
    recipient: z.string().max(1000).transform(toSingleLine).pipe(z.string().min(1).max(100)).default("a reviewer"),
    message: z.string().trim().min(1).max(2000).optional(),
    expires_in: z
      .int()
      .min(60)
      .max(30 * DAY_SECONDS)
      .default(7 * DAY_SECONDS),
  })
  .meta({ id: "ApprovalRequest" });

export const ApprovalRequested = z.object({ id: Id, url: z.string(), expires_at: Instant, fingerprint: z.string() });

export const Approval = z
  .object({
    id: Id,
    post_id: Id,
    recipient: z.string(),
    message: z.string().nullable(),
    fingerprint: z.string().nullable(),
    decision: z.enum(["approved", "commented"]).nullable(),
    comment: z.string().nullable(),
    decided_at: Instant.nullable(),
    withdrawn_at: Instant.nullable(),
    expires_at: Instant,
    created_at: Instant,
  })
  .meta({ id: "Approval" });

export const ApprovalList = z.object({ approvals: z.array(Approval) });

export const ApprovalWithdrawn = z.object({ id: Id, withdrawn: z.literal(true) });

/** The response of a commit, with what was decided. */
export const PostApproved = PostAccepted.extend({ approval: Approval });
