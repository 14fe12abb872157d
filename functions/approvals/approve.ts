import { endpoint } from "../../lib/http/endpoint.ts";
import { approvePost, loadApproval } from "../../lib/publishing/approve-post.ts";
import { PostApproved } from "../../lib/schemas/approval.ts";

export default endpoint("approvals.approve", {
  route: "POST /posts/{postId}/approvals/{approvalId}/approve",
  permission: "posts:approve",
  summary: "Approve a draft as it was when the approval was asked for, which publishes it at its time",
  params: { postId: "post", approvalId: "approval" },
  reply: PostApproved,
  message: "Post approved.",
  errors: [
    "not_found",
    "own_draft",
    "approval_ended",
    "post_not_draft",
    "post_in_flight",
    "plan_changed",
    "validation_failed",
    "unknown_accounts",
    "media_unreachable",
    "no_slots",
  ],
  internalError: "approval_failed",
  limits: ["post_checks"],

  load: (context) => loadApproval(context, context.params),

  handle: approvePost,
});
