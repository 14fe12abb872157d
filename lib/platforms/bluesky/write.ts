// The call that writes a post: its record alone, or together with the record that says who may reply.
import { pickList, pickString } from "../http.ts";

export const COLLECTION = "app.bsky.feed.post";

/** Its record has the key of the post. https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/threadgate.json */
const THREADGATE = "app.bsky.feed.threadgate";

/** Who may reply, by the setting; everyone may where no record says otherwise. Read 2026-11-28. */
const ALLOWED: Readonly<Record<string, readonly { $type: string }[]>> = {
  nobody: [],
  mentioned: [{ $type: `${THREADGATE}#mentionRule` }],
  following: [{ $type: `${THREADGATE}#followingRule` }],
};

/**
 * Both records are written in one commit, as Bluesky's own app does: a post is never out without its rule, not even for a
 * moment, and a lost response leaves both or neither.
 */
export function buildWrite(
  repo: string,
  rkey: string,
  record: { $type: string; createdAt: string },
  settings: Record<string, unknown>,
): { name: string; json: unknown } {
  const allow = ALLOWED[pickString(settings, "reply_control") ?? ""];
  if (!allow) {
    return { name: "com.atproto.repo.createRecord", json: { repo, collection: COLLECTION, rkey, record } };
  }
  const post = `at://${repo}/${COLLECTION}/${rkey}`;
  const gate = { $type: THREADGATE, post, allow, createdAt: record.createdAt };
  const writes = [record, gate].map((value) => ({
    $type: "com.atproto.repo.applyWrites#create",
    collection: value.$type,
    rkey,
    value,
  }));
  return { name: "com.atproto.repo.applyWrites", json: { repo, writes } };
}

/** The address of the post in the response of either call. */
export function getWrittenUri(body: unknown): string | null {
  return pickString(body, "uri") ?? pickString(pickList(body, "results")[0], "uri");
}
