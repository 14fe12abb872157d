import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as revisions from "../../lib/queries/revisions.ts";
import { PostDeleted } from "../../lib/schemas/post.ts";
import { PostDelete } from "../../lib/schemas/post-body.ts";

const AT_MOST = 50;

export default endpoint("posts.delete", {
  route: "POST /posts/delete",
  summary: "Delete posts that are neither out nor in a publisher's hands",
  body: PostDelete,
  reply: PostDeleted,
  message: "Posts deleted.",
  refuses: ["too_many_post_ids"],
  failure: "delete_failed",

  async handle({ db, key, body, now }) {
    const ids = [...new Set((body.post_ids ?? body.postIds ?? []).map((id) => id.toLowerCase()))];
    if (ids.length > AT_MOST) {
      throw refuse("too_many_post_ids", `At most ${AT_MOST} posts at once, these are ${ids.length}.`);
    }
    const seen = await revisions.remove(db, key.scope, ids, now);
    return {
      deletedIds: seen.filter(({ deleted }) => deleted).map(({ id }) => id),
      blockedStatuses: seen.filter(({ deleted }) => !deleted).map(({ id, status }) => ({ id, status })),
      skipped: ids.filter((id) => !seen.some((post) => post.id === id)),
    };
  },
});
