import type { Call } from "../../lib/call.ts";
import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { checksOf, planHash } from "../../lib/publishing/checks.ts";
import { type Loaded, loadEditable, revising, writeRevision } from "../../lib/publishing/edit.ts";
import { nudgeDue } from "../../lib/publishing/nudge.ts";
import { problemsOf, refusalFor } from "../../lib/publishing/preflight.ts";
import { warningsOf } from "../../lib/publishing/warnings.ts";
import { PostUpdated } from "../../lib/schemas/post.ts";
import { PostPatch } from "../../lib/schemas/post-body.ts";

const EDITABLE = ["draft", "pending", "scheduled", "retry", "failed"] as const;

export default endpoint("posts.update", {
  route: "PATCH /posts/{postId}",
  summary: "Change a post that has not left yet",
  description:
    "Null clears `media`, `tiktok`, `pinterest` and `music_url`; `scheduled_at: null` publishes at once; a provider under `settings` keeps what it is not given anew, and null takes it out; `accounts` replaces. A draft stays a draft. A failed post is sent again only when `scheduled_at` is given.",
  params: { postId: "post" },
  body: PostPatch,
  reply: PostUpdated,
  message: "Post updated.",
  refuses: [
    "not_found",
    "post_not_editable",
    "post_in_flight",
    "external_id_immutable",
    "validation_failed",
    "unknown_accounts",
    "invalid_music_url",
    "media_unreachable",
  ],
  failure: "update_failed",

  load: ({ body, params, ...call }) => loadEditable(call, params.postId, body),

  handle: (call, loaded) => revising(call, loaded, (current) => update(call, call.body, current)),
});

async function update(call: Call, { external_id, scheduled_at }: PostPatch, loaded: Loaded) {
  const { stored, merged, resolved } = loaded;
  if (!EDITABLE.some((status) => status === stored.status)) {
    const message = `The post is ${stored.status} and cannot be changed any more. For accounts that failed, create a new post that names only them.`;
    throw refuse("post_not_editable", message);
  }
  if (external_id !== undefined && external_id !== stored.externalId) {
    throw refuse("external_id_immutable", "The external_id of a post cannot be changed.");
  }
  const draft = stored.status === "draft";
  // A time that has come to pass while the post waited is no reason to refuse another change.
  const timed = scheduled_at === undefined && !draft ? { ...merged, scheduled_at: undefined } : merged;
  const problems = problemsOf(timed, resolved, call.now);
  const refusal = refusalFor(draft ? problems.filter(({ code }) => code === "unknown_accounts") : problems);
  if (refusal) throw refusal;
  const requeue = scheduled_at !== undefined && !draft;
  const wrongStatus = "post_not_editable";
  const revised = await writeRevision(call, loaded, { from: EDITABLE, draft, requeue, wrongStatus });
  if (!revised) return null;
  nudgeDue(call, revised.due);
  const plan = draft ? { checks: checksOf(merged, resolved, problems), plan_hash: planHash(merged, resolved) } : {};
  return { ...revised.post, warnings: warningsOf(merged, resolved), ...plan };
}
