import { endpoint, tell } from "../../lib/endpoint.ts";
import { accept } from "../../lib/publishing/accept.ts";
import { newPost } from "../../lib/publishing/draft.ts";
import { nudgeDue } from "../../lib/publishing/nudge.ts";
import { problemsOf, refusalFor } from "../../lib/publishing/preflight.ts";
import { resolve } from "../../lib/publishing/resolve.ts";
import { warningsOf } from "../../lib/publishing/warnings.ts";
import { PostAccepted } from "../../lib/schemas/post.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";

export default endpoint("posts.create", {
  route: "POST /posts",
  summary: "Publish a post to its accounts, now or at a time",
  body: PostCreate,
  faults: "fields",
  reply: PostAccepted,
  status: 201,
  message: "Post accepted.",
  also: { status: 200, message: "This external_id names a post that exists already." },
  refuses: ["validation_failed", "unknown_accounts", "invalid_music_url", "media_unreachable", "external_id_conflict"],
  failure: "create_failed",

  load: (call) => resolve(call, call.body),

  async handle(call, resolved) {
    const { body, ids, now } = call;
    const draft = newPost(body, ids, now, false);
    const { post, how } = await accept(call, draft, refusalFor(problemsOf(body, resolved, now)));
    const warnings = warningsOf(body, resolved);
    if (how === "duplicate") {
      return tell(200, "This external_id names a post that exists already.", { ...post, warnings, duplicate: true });
    }
    nudgeDue(call, draft.deliveries);
    return { ...post, warnings };
  },
});
