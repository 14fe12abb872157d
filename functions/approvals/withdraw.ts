import { endpoint } from "../../lib/http/endpoint.ts";
import { withdrawApprovalLink } from "../../lib/queries/approvals.ts";
import { ApprovalWithdrawn } from "../../lib/schemas/approval.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("approvals.withdraw", {
  route: "DELETE /posts/{postId}/approvals/{approvalId}",
  permission: "posts:write",
  summary: "Withdraw an approval that was asked for",
  params: { postId: "post", approvalId: "approval" },
  reply: ApprovalWithdrawn,
  message: "Approval withdrawn.",
  errors: ["not_found"],
  internalError: "approval_failed",

  async handle({ db, key, params: { postId, approvalId: id }, now }) {
    if (await withdrawApprovalLink(db, key.scope, { id, postId, now })) return { id, withdrawn: true as const };
    const message = "The post has no open approval with this id: it may have been decided, or withdrawn before.";
    throw apiError("not_found", message);
  },
});
