import { endpoint, tell } from "../../lib/endpoint.ts";
import { accept } from "../../lib/publishing/accept.ts";
import { checksOf, planHash } from "../../lib/publishing/checks.ts";
import { newPost } from "../../lib/publishing/draft.ts";
import { problemsOf, refusalFor } from "../../lib/publishing/preflight.ts";
import { resolve } from "../../lib/publishing/resolve.ts";
import { warningsOf } from "../../lib/publishing/warnings.ts";
import { PostPrepared } from "../../lib/schemas/post.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";

export default endpoint("posts.prepare", {
  route: "POST /posts/prepare",
  summary: "Store a draft and learn what publishing it would meet",
  description: "Publishes nothing. A draft with problems is stored too, so that PATCH can repair it before the commit.",
  body: PostCreate,
  faults: "fields",
  reply: PostPrepared,
  status: 201,
  message: "Draft stored.",
  also: { status: 200, message: "This external_id names a post that exists already." },
  refuses: ["unknown_accounts", "external_id_conflict"],
  failure: "prepare_failed",

  load: (call) => resolve(call, call.body),

  async handle(call, resolved) {
    const { body, ids, now } = call;
    const problems = problemsOf(body, resolved, now);
    // A delivery needs its account; everything else can be repaired.
    const refusal = refusalFor(problems.filter(({ code }) => code === "unknown_accounts"));
    const { post, how } = await accept(call, newPost(body, ids, now, true), refusal);
    const prepared = {
      ...post,
      warnings: warningsOf(body, resolved),
      checks: checksOf(body, resolved, problems),
      plan_hash: planHash(body, resolved),
    };
    if (how !== "duplicate") return prepared;
    return tell(200, "This external_id names a post that exists already.", { ...prepared, duplicate: true });
  },
});
