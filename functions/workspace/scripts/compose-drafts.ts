// The drafts of the composer: what is written is stored in them, and each is committed once.
import { callApi } from "./upload.ts";

/** TikTok's settings are for posts to TikTok alone, so its accounts get a post of their own. */
export type PostKind = "tiktok" | "others";

export interface ComposedPost {
  kind: PostKind;
  body: object;
}

interface Draft {
  id: string;
  plan_hash: string;
  checks: { ok: boolean }[];
}

/** Null for a post that is published or scheduled already. */
type SavedPost = { kind: PostKind; draft: Draft | null };

/** What an update keeps unless it is sent: a field that is empty now has no value in the body of the post. */
const CLEARED = { scheduled_at: null, tiktok: null, pinterest: null, settings: { youtube: null } };

export function createDrafts(api: string, stored: { kind: PostKind; id: string } | null) {
  const ids = new Map<PostKind, string>(stored ? [[stored.kind, stored.id]] : []);
  /** The idempotency key of each body that is being stored, because the answer may be lost. */
  const keys = new Map<string, string>();
  /** Ids of the drafts that were sent to be committed. */
  const sent = new Set<string>();

  async function create({ kind, body }: ComposedPost): Promise<SavedPost> {
    const text = JSON.stringify(body);
    const key = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, key);
    const draft = await callApi<Draft>(api, "POST", "/posts/prepare", body, key);
    keys.delete(text);
    ids.set(kind, draft.id);
    return { kind, draft };
  }

  async function update({ kind, body }: ComposedPost, id: string): Promise<SavedPost> {
    const path = `/posts/${id}`;
    const { status } = await callApi<{ status: string }>(api, "GET", path);
    if (status !== "draft") {
      // The answer to the commit was lost.
      if (sent.has(id)) return { kind, draft: null };
      throw new Error("This draft was published or scheduled in another window. The queue shows what became of it.");
    }
    // An update merges the settings of a network, so that a field which is empty now would keep its value.
    if ("settings" in body) await callApi(api, "PATCH", path, { settings: CLEARED.settings });
    return { kind, draft: await callApi<Draft>(api, "PATCH", path, { ...CLEARED, ...body }) };
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
      if (surplus.length > 0) await callApi(api, "POST", "/posts/delete", { post_ids: surplus.map(([, id]) => id) });
      for (const [kind] of surplus) ids.delete(kind);
      return saved;
    },

    /** A repeated call has the same idempotency key, so that its draft is committed once. */
    async commit({ kind, draft }: SavedPost): Promise<void> {
      if (draft) {
        sent.add(draft.id);
        await callApi(api, "POST", `/posts/${draft.id}/commit`, { plan_hash: draft.plan_hash }, `commit-${draft.id}`);
      }
      ids.delete(kind);
    },
  };
}
