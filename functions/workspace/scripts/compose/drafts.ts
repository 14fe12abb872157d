// The drafts of the composer: they store what is written, and each is committed once.
import type { Body, Call, Data } from "../shared/api.ts";

/** TikTok's settings are for posts to TikTok alone, so its accounts get a post of their own. */
export type PostKind = "tiktok" | "others";

export interface ComposedPost {
  kind: PostKind;
  body: Body<"POST /posts/prepare">;
}

type Draft = Pick<Data<"PATCH /posts/{postId}">, "id" | "plan_hash" | "checks">;

/** Null for a post that is published or scheduled already. */
type SavedPost = { kind: PostKind; draft: Draft | null };

/** An update keeps these unless it names them: a field that is empty now has no value in the body of the post. */
const CLEARED = { scheduled_at: null, tiktok: null, pinterest: null, settings: { youtube: null } };

export function createDrafts(call: Call, stored: { kind: PostKind; id: string } | null) {
  const ids = new Map<PostKind, string>(stored ? [[stored.kind, stored.id]] : []);
  /** The idempotency key of each body that is being stored, because the response may be lost. */
  const keys = new Map<string, string>();
  /** Ids of the drafts that were sent to be committed. */
  const sent = new Set<string>();

  async function create({ kind, body }: ComposedPost): Promise<SavedPost> {
    const text = JSON.stringify(body);
    const key = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, key);
    const draft = await call("POST /posts/prepare", { body, idempotencyKey: key });
    keys.delete(text);
    ids.set(kind, draft.id);
    return { kind, draft };
  }

  async function update({ kind, body }: ComposedPost, id: string): Promise<SavedPost> {
    const params = { postId: id };
    const { status } = await call("GET /posts/{postId}", { params });
    if (status !== "draft") {
      // The response to the commit was lost.
      if (sent.has(id)) return { kind, draft: null };
      throw new Error("This draft was published or scheduled in another window. The queue shows what became of it.");
    }
    // An update merges the settings of a network, so that a field which is empty now would keep its value.
    if ("settings" in body) await call("PATCH /posts/{postId}", { params, body: { settings: CLEARED.settings } });
    return { kind, draft: await call("PATCH /posts/{postId}", { params, body: { ...CLEARED, ...body } }) };
  }

  return {
    list: () => [...ids.values()],

    /** Stores the posts, in the drafts of an earlier check if there are any, and deletes drafts that are not needed any more. */
    async save(posts: ComposedPost[]): Promise<SavedPost[]> {
      const saved = await Promise.all(
        posts.map((post) => {
          const id = ids.get(post.kind);
          return id ? update(post, id) : create(post);
        }),
      );
      const surplus = [...ids].filter(([kind]) => !posts.some((post) => post.kind === kind));
      if (surplus.length > 0) await call("POST /posts/delete", { body: { post_ids: surplus.map(([, id]) => id) } });
      for (const [kind] of surplus) ids.delete(kind);
      return saved;
    },

    /** A repeated call has the same idempotency key, so that its draft is committed once. */
    async commit({ kind, draft }: SavedPost): Promise<void> {
      if (draft) {
        sent.add(draft.id);
        await call("POST /posts/{postId}/commit", {
          params: { postId: draft.id },
          body: { plan_hash: draft.plan_hash },
          idempotencyKey: `commit-${draft.id}`,
        });
      }
      ids.delete(kind);
    },
  };
}
