import { endpoint } from "../../lib/http/endpoint.ts";
import { createApprovalLink } from "../../lib/publishing/approval-links.ts";
import { loadPost } from "../../lib/publishing/load-post.ts";
import { ApprovalRequest, ApprovalRequested } from "../../lib/schemas/approval.ts";

export default endpoint("approvals.create", {
  route: "POST /posts/{postId}/approvals",
  permission: "posts:write",
  summary: "Make a link with which a person approves a draft as it is now",
  params: { postId: "post" },
  body: ApprovalRequest,
  reply: ApprovalRequested,
  status: 201,
  message: "Approval requested.",
  errors: ["not_found", "post_not_draft"],
  internalError: "approval_failed",
  limits: ["post_checks"],

  load: (context) => loadPost(context, context.params.postId, {}),

  handle: (context, loaded) => createApprovalLink(context, loaded, context.body),
});
