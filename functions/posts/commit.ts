import type { Call } from "../../lib/call.ts";
import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { changedSince } from "../../lib/publishing/checks.ts";
import { type Loaded, loadEditable, revising, writeRevision } from "../../lib/publishing/edit.ts";
import { nudgeDue } from "../../lib/publishing/nudge.ts";
import { problemsOf, refusalFor } from "../../lib/publishing/preflight.ts";
import { warningsOf } from "../../lib/publishing/warnings.ts";
import { PostAccepted } from "../../lib/schemas/post.ts";
import { PostCommit } from "../../lib/schemas/post-body.ts";

export default endpoint("posts.commit", {
  route: "POST /posts/{postId}/commit",
  summary: "Publish a prepared draft, now or at a time",
  params: { postId: "post" },
  body: PostCommit,
  faults: "fields",
  reply: PostAccepted,
  message: "Draft committed.",
  refuses: [
    "not_found",
    "post_not_draft",
    "post_in_flight",
    "plan_changed",
    "validation_failed",
    "unknown_accounts",
    "media_unreachable",
  ],
  failure: "commit_failed",

  load: ({ body, params, ...call }) => {
    const patch = body.scheduled_at === undefined ? {} : { scheduled_at: body.scheduled_at };
    return loadEditable(call, params.postId, patch);
  },

  handle: (call, loaded) => revising(call, loaded, (current) => commit(call, call.body.plan_hash, current)),
});

async function commit(call: Call, planHash: string | undefined, loaded: Loaded) {
  const { stored, merged, resolved } = loaded;
  if (stored.status !== "draft") throw refuse("post_not_draft", `The post is ${stored.status}, not a draft.`);
  const asPrepared = { ...merged, scheduled_at: stored.scheduledAt ?? undefined };
  const changed = planHash === undefined ? [] : changedSince(planHash, asPrepared, resolved);
  if (changed.length > 0) {
    throw refuse(
      "plan_changed",
      `Changed since the plan was made: ${changed.join(", ")}. Read the draft and decide again.`,
    );
  }
  const refusal = refusalFor(problemsOf(merged, resolved, call.now));
  if (refusal) throw refusal;
  const plan = { from: ["draft"], draft: false, requeue: true, wrongStatus: "post_not_draft" } as const;
  const revised = await writeRevision(call, loaded, plan);
  if (!revised) return null;
  nudgeDue(call, revised.due);
  return { ...revised.post, warnings: warningsOf(merged, resolved) };
}
