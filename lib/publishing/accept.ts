// Storing a new post, or finding the one that a repeat of the same request made before.
import type { Call } from "../call.ts";
import { type Refusal, refuse } from "../errors.ts";
import * as posts from "../queries/posts.ts";
import type { Post } from "../schemas/post.ts";

export interface Accepted {
  post: Post;
  /** `first`: stored by this request. `again`: by a crashed execution of it. `duplicate`: by another with its external id. */
  how: "first" | "again" | "duplicate";
}

/** Throws `refusal` unless the post exists already: a repeat is answered even when its time or media have passed since. */
export async function accept(
  call: Pick<Call, "db" | "key">,
  draft: posts.NewPost,
  refusal: Refusal | null,
): Promise<Accepted> {
  const { scope } = call.key;
  const stored = refusal ? null : await posts.insert(call.db, scope, draft);
  if (stored) return { post: stored, how: "first" };
  const twin = await posts.findTwin(call.db, scope, draft);
  if (!twin) throw refusal ?? new Error("a post was neither inserted nor found");
  if (twin.payloadHash !== draft.payloadHash || !twin.post) {
    throw refuse("external_id_conflict", `external_id ${draft.externalId} names another post with another payload.`);
  }
  return { post: twin.post, how: twin.post.id === draft.id ? "again" : "duplicate" };
}
