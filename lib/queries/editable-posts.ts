// Reads a post with its deliveries, accounts and files in one statement, to check a change of the post.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { files } from "../../drizzle/schema/files.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { PostStatus } from "../shared/post-status.ts";
import type { Scope } from "../shared/scope.ts";
import { LISTED_ACCOUNT_COLUMNS } from "./accounts.ts";
import { NEARBY_SLOT_HOURS, nearbyPostsOf } from "./nearby-posts.ts";
import { CONTENT_COLUMNS } from "./posts.ts";
import { inScope } from "./scope.ts";
import { slotPlan } from "./slots.ts";
import { instant, jsonList, type RowOf, textArray, uuidArray } from "./sql.ts";
import { scopeTimeZone } from "./workspaces.ts";

/** The URLs among the media of a post, with those of single accounts and of its thread, as rows of one column. */
export const selectMediaUrls = sql`select jsonb_path_query(
    jsonb_build_array(${posts.media}, ${posts.overrides}, ${posts.thread}), paths.path) #>> '{}'
  from (values ('$.**.url'::jsonpath), ('$.**.urls[*]'), ('$.**.cover_url')) paths (path)`;

const { url, sha256, contentType, size, durationMs, width, height, details } = files;
const FILE_COLUMNS = { url, sha256, contentType, size, durationMs, width, height, details };

/** What a change refers to beside the post itself. */
interface PlannedChange {
  accountIds: string[];
  urls: string[];
  /** The new time, if it is changed. */
  at: Date | undefined;
  now: Date;
}

const editableColumns = (scope: Scope, { accountIds, urls, at, now }: PlannedChange) => ({
  id: posts.id,
  version: posts.version,
  status: sql<PostStatus>`${posts.status}`,
  ...CONTENT_COLUMNS,
  scheduledAt: posts.scheduledAt,
  schedule: posts.schedule,
  scheduleZone: posts.scheduleZone,
  timeZone: scopeTimeZone(posts.scopeId),
  externalId: posts.externalId,
  accounts: jsonList(
    { id: postDeliveries.accountId },
    {
      from: sql`from ${postDeliveries} where ${postDeliveries.postId} = ${posts.id}`,
      orderBy: sql`${postDeliveries.position}`,
    },
  ),
  activeAccounts: jsonList(
    {
      ...LISTED_ACCOUNT_COLUMNS,
      slotPlan,
      nearbyPosts: nearbyPostsOf(
        sql`${posts.scopeId}`,
        at ? instant(at) : sql`coalesce(${posts.scheduledAt}, ${instant(now)})`,
        NEARBY_SLOT_HOURS,
      ),
    },
    {
      from: sql`from ${accounts} where ${inScope(accounts, scope)} and ${accounts.status} = 'active'
      and (${accounts.id} = any(${uuidArray(accountIds)}) or ${accounts.id} in (
        select ${postDeliveries.accountId} from ${postDeliveries} where ${postDeliveries.postId} = ${posts.id}))`,
    },
  ),
  files: jsonList(FILE_COLUMNS, {
    from: sql`from ${files} where ${files.scopeId} = ${posts.scopeId}
      and ${files.url} = any(array(${selectMediaUrls} union all select unnest(${textArray(urls)})))`,
  }),
});

/** A stored post, the active accounts that it or the change refers to, and the files among its media. */
export type EditablePost = RowOf<ReturnType<typeof editableColumns>>;

/** Reads the post with everything that it and the planned change refer to, in one round trip. */
export async function findEditablePost(
  db: ReadOnlyDb,
  scope: Scope,
  id: string,
  change: PlannedChange,
): Promise<EditablePost | null> {
  const [row] = await db
    .select(editableColumns(scope, change))
    .from(posts)
    .where(and(inScope(posts, scope), eq(posts.id, id), isNotNull(posts.status)));
  return row ?? null;
}
