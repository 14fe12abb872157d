// The drafts of the composer: they store what is written, never over a change that was made elsewhere, and each is committed once.
import type { Call, CallError, Data } from "../shared/api.ts";
import { type ComposedPost, type PostKind, toChange } from "./posts.ts";

export type StoredPost = Data<"GET /posts/{postId}">;
type Draft = Pick<Data<"PATCH /posts/{postId}">, "id" | "updated_at" | "plan_hash" | "checks">;

/** Null for a post that is published or scheduled already. */
export type SavedPost = { kind: PostKind; draft: Draft | null };

export interface KnownDraft {
  kind: PostKind;
  id: string;
  /** An update expects it: another value means that somebody changed the draft. */
  updatedAt: string;
}

/** A request without a response. The same key makes the service answer what it answered before, if it did. */
interface SentRequest {
  /** Absent for a new draft. */
  id?: string;
  body: object;
  key: string;
}

export interface DraftsState {
  drafts: KnownDraft[];
  lost: [PostKind, SentRequest][];
}

/** Another window stored a change of the draft. */
export class DraftConflict extends Error {
  readonly kind: PostKind;
  readonly theirs: StoredPost;
  constructor(kind: PostKind, theirs: StoredPost) {
    super("this draft was changed in another window.");
    this.kind = kind;
    this.theirs = theirs;
  }
}

/** The draft has changed, or is no draft any more. */
const CHANGED = new Set(["post_conflict", "post_not_editable", "not_found"]);

type Settings = Record<string, object | null>;

export function createDrafts(call: Call, stored: KnownDraft[], storedSettings: Settings) {
  const known = new Map<PostKind, KnownDraft>(stored.map((draft) => [draft.kind, draft]));
  const lost = new Map<PostKind, SentRequest>();
  /** Settings that the draft of this kind has, because an update merges them. */
  const settings = new Map<PostKind, Settings>([["others", storedSettings]]);
  /** Ids of the drafts that were sent to be committed. */
  const sent = new Set<string>();

  async function send(kind: PostKind, request: SentRequest, keepalive: boolean): Promise<Draft> {
    lost.set(kind, request);
    const { id, body, key: idempotencyKey } = request;
    try {
      const draft = id
        ? await call("PATCH /posts/{postId}", { params: { postId: id }, body, idempotencyKey, keepalive })
        : await call("POST /posts/prepare", { body: body as ComposedPost["body"], idempotencyKey, keepalive });
      lost.delete(kind);
      known.set(kind, { kind, id: draft.id, updatedAt: draft.updated_at });
      settings.set(kind, mergeSettings(settings.get(kind), body as { settings?: Settings }));
      return draft;
    } catch (error) {
      const { code } = error as CallError;
      if (code && code !== "request_in_progress") lost.delete(kind);
      throw error;
    }
  }

  async function store({ kind, body }: ComposedPost, keepalive: boolean): Promise<SavedPost> {
    const unanswered = lost.get(kind);
    if (unanswered) await send(kind, unanswered, keepalive);
    const draft = known.get(kind);
    const next = (body.settings ?? {}) as Settings;
    const before = settings.get(kind) ?? {};
    const update = (change: object) =>
      send(kind, { ...toUpdate(known.get(kind) as KnownDraft, change), key: crypto.randomUUID() }, keepalive);
    if (!draft) return { kind, draft: await send(kind, { body, key: crypto.randomUUID() }, keepalive) };
    // An update merges the settings of a network, so that a field which is empty now would keep its value.
    const emptied = Object.keys(before).filter((name) => hasLostField(before[name], next[name]));
    if (emptied.length > 0 && !keepalive)
      await update({ settings: Object.fromEntries(emptied.map((name) => [name, null])) });
    const unused = Object.keys(before).filter((name) => !(name in next));
    const change = {
      ...toChange(body),
      settings: { ...Object.fromEntries(unused.map((name) => [name, null])), ...next },
    };
    return { kind, draft: await update(change) };
  }

  /** Finds out what became of a draft that could not be updated. */
  async function recover(post: ComposedPost, keepalive: boolean): Promise<SavedPost> {
    const { id = "" } = known.get(post.kind) ?? {};
    const theirs = await call("GET /posts/{postId}", { params: { postId: id } }).catch((error: CallError) => {
      if (error.code !== "not_found") throw error;
      return null;
    });
    if (theirs?.status === "draft") throw new DraftConflict(post.kind, theirs);
    // The response to the commit was lost.
    if (theirs && sent.has(id)) return { kind: post.kind, draft: null };
    if (theirs)
      throw new Error("This draft was published or scheduled in another window. The queue shows what became of it.");
    // It was deleted elsewhere, and what is written here is stored as a new one.
    known.delete(post.kind);
    settings.delete(post.kind);
    return store(post, keepalive);
  }

  async function storeOrRecover(post: ComposedPost, keepalive: boolean): Promise<SavedPost> {
    try {
      return await store(post, keepalive);
    } catch (error) {
      if (!CHANGED.has((error as CallError).code ?? "") || !known.has(post.kind)) throw error;
      return recover(post, keepalive);
    }
  }

  return {
    list: () => [...known.values()].map(({ id }) => id).toSorted(),

    /** A later visit goes on with these: the drafts, and requests of which it is not known whether they arrived. */
    read: (): DraftsState => ({ drafts: [...known.values()], lost: [...lost] }),

    restore(state: DraftsState): void {
      for (const draft of state.drafts) known.set(draft.kind, draft);
      for (const [kind, request] of state.lost) lost.set(kind, request);
    },

    /** The next update is made over the version of the other window. */
    accept({ kind, theirs }: DraftConflict): void {
      known.set(kind, { kind, id: theirs.id, updatedAt: theirs.updated_at });
    },

    /** Stores the posts, in the drafts of an earlier time if there are any, and deletes drafts that are not needed any more. */
    async save(posts: ComposedPost[], { keepalive = false } = {}): Promise<SavedPost[]> {
      const saved = await Promise.all(posts.map((post) => storeOrRecover(post, keepalive)));
      const surplus = [...known.values()].filter(({ kind }) => !posts.some((post) => post.kind === kind));
      if (surplus.length > 0 && !keepalive) {
        await call("POST /posts/delete", { body: { post_ids: surplus.map(({ id }) => id) } });
        for (const { kind } of surplus) known.delete(kind);
      }
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
      known.delete(kind);
    },
  };
}

function toUpdate({ id, updatedAt }: KnownDraft, change: object): Pick<SentRequest, "body"> & { id: string } {
  return { id, body: { ...change, expected_updated_at: updatedAt } };
}

/** As an update does it: null removes a network, and a network keeps the fields that are not sent. */
function mergeSettings(before: Settings = {}, { settings = {} }: { settings?: Settings }): Settings {
  const merged = { ...before };
  for (const [name, fields] of Object.entries(settings)) {
    if (fields) merged[name] = { ...merged[name], ...fields };
    else delete merged[name];
  }
  return merged;
}

/** A network that is not sent at all is removed by the update itself. */
function hasLostField(before: object | null | undefined, next: object | null | undefined): boolean {
  return next ? Object.keys(before ?? {}).some((field) => !(field in next)) : false;
}
