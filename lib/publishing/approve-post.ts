// Approves a draft by a link, or by a key that did not write the draft: what was shown goes out, and nothing else.
import { findApproval } from "../queries/approvals.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { type LoadedPost, loadPost } from "./load-post.ts";
import { toApprovalResponse } from "./to-response.ts";
import { approvalEndedError, commitPost } from "./update-post.ts";

interface LoadedApproval {
  loaded: LoadedPost | null;
  approval: Awaited<ReturnType<typeof findApproval>>;
}

/** Takes one round trip, then probes URLs that are not our files. */
export async function loadApproval(
  call: ReadContext,
  { postId, approvalId }: { postId: string; approvalId: string },
): Promise<LoadedApproval> {
  const [loaded, approval] = await Promise.all([
    loadPost(call, postId, {}),
    findApproval(call.db, call.key.scope, { id: approvalId, postId, writer: call.actor.id }),
  ]);
  return { loaded, approval };
}

/** Throws `own_draft`, `approval_ended` and what a commit throws. The statement that commits stores the decision. */
export async function approvePost(call: RequestContext, { loaded, approval }: LoadedApproval) {
  if (!loaded || !approval) throw apiError("not_found", "No approval with these ids is visible to the key.");
  const { isOwnDraft, ...link } = approval;
  if (isOwnDraft && (call.actor.kind === "key" || call.actor.kind === "grant")) {
    const message = "The key that wrote a draft cannot approve it. Use another key, or let a person approve it.";
    throw apiError("own_draft", message);
  }
  if (link.decision || link.withdrawnAt || link.expiresAt <= call.now) throw approvalEndedError();
  const post = await commitPost(call, loaded, { planHash: link.planHash, approvalId: link.id });
  return { ...post, approval: toApprovalResponse({ ...link, decision: "approved", decidedAt: call.now }) };
}
