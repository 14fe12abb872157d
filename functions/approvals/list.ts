import { endpoint } from "../../lib/http/endpoint.ts";
import { toApprovalResponse } from "../../lib/publishing/to-response.ts";
import { listApprovalLinks } from "../../lib/queries/approvals.ts";
import { ApprovalList } from "../../lib/schemas/approval.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("approvals.list", {
  route: "GET /posts/{postId}/approvals",
  permission: "posts:read",
  summary: "List the approvals that were asked for a post",
  params: { postId: "post" },
  reply: ApprovalList,
  message: "Approvals.",
  errors: ["not_found"],
  internalError: "approval_failed",

  load: ({ db, key, params }) => listApprovalLinks(db, key.scope, params.postId),

  async handle(_context, links) {
    if (!links) throw apiError("not_found", "No post with this id is visible to the key.");
    return { approvals: links.map(toApprovalResponse) };
  },
});
