import { endpoint } from "../../lib/http/endpoint.ts";
import { deletePosts } from "../../lib/queries/post-updates.ts";
import { PostDelete } from "../../lib/schemas/post-body.ts";
import { PostDeleted } from "../../lib/schemas/post-changes.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { hasPermission, missingPermissionError } from "../../lib/shared/permissions.ts";

const MAX_POSTS = 50;

export default endpoint("posts.delete", {
  route: "POST /posts/delete",
  permission: "posts:write",
  summary: "Delete posts that are neither published nor being published",
  body: PostDelete,
  bodyErrors: { "post_ids:too_big": "too_many_post_ids", "postIds:too_big": "too_many_post_ids" },
  reply: PostDeleted,
  message: "Posts deleted.",
  internalError: "delete_failed",

  async handle({ db, key, actor, body: { postIds: ids }, now }) {
    if (ids.length > MAX_POSTS) {
      throw apiError("too_many_post_ids", `post_ids must have at most ${MAX_POSTS} entries, but has ${ids.length}.`);
    }
    const onlyDrafts = !hasPermission(actor.permissions, "posts:publish");
    const found = await deletePosts(db, key.scope, ids, { onlyDrafts, now });
    if (onlyDrafts && found.some(({ status }) => status !== "draft")) throw missingPermissionError("posts:publish");
    return {
      deletedIds: found.filter(({ deleted }) => deleted).map(({ id }) => id),
      blockedStatuses: found.filter(({ deleted }) => !deleted).map(({ id, status }) => ({ id, status })),
      skipped: ids.filter((id) => !found.some((post) => post.id === id)),
    };
  },
});
