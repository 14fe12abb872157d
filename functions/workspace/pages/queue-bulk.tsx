// Several posts of the queue changed together: moved, paused or deleted, with one sentence about what came of it.
import type { FC } from "hono/jsx";
import * as z from "zod";
import type { QueuedPost } from "../../../lib/queries/queue.ts";
import type { Post as PostSchema } from "../../../lib/schemas/post.ts";
import type { PostDeleted } from "../../../lib/schemas/post-changes.ts";
import { HOUR_MS } from "../../../lib/shared/durations.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { toClockTime } from "../../../lib/shared/schedule.ts";
import { addDays, moveToDay, toDay, toWallClock } from "../../../lib/shared/time-zone.ts";
import deletePosts from "../../posts/delete.ts";
import getPost from "../../posts/get.ts";
import updatePost from "../../posts/update.ts";
import { describeRejection } from "../messages.ts";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { AMOUNTS, describeResult, MOVES, type MoveName, NO_TIME, NOT_DELETED } from "../scripts/shared/bulk.ts";
import { PageError } from "../session.ts";

const MAX_POSTS = 50;

export const BulkForm: FC<{ c: PageContext }> = ({ c }) => {
  const { workspace, now, timeZone } = c.var;
  return (
    <form
      id="bulk"
      class="bulk card"
      method="post"
      action={`/dashboard/${workspace.id}/posts/bulk`}
      aria-label="Change the selected posts"
      data-base={`/dashboard/${workspace.id}`}
      data-time-zone={timeZone}
    >
      <input type="hidden" name="query" value={new URL(c.req.url).search} />
      <label class="check" id="select-all" hidden>
        <input type="checkbox" /> Select all on this page
      </label>
      <span id="bulk-count" role="status" />
      <span class="row">
        <label for="bulk-by" class="visually-hidden">
          Move by
        </label>
        <select id="bulk-by" name="by">
          {Object.entries(MOVES).map(([by, text]) => (
            <option value={by} selected={by === "day"}>
              {text}
            </option>
          ))}
        </select>
        <button type="submit" name="action" value="move">
          Move
        </button>
      </span>
      <span class="row">
        <label for="bulk-day" class="visually-hidden">
          Day
        </label>
        <input id="bulk-day" name="day" type="date" min={toDay(now, timeZone)} />
        <button type="submit" name="action" value="day">
          Move to the day
        </button>
      </span>
      <button type="submit" name="action" value="pause">
        Pause
      </button>
      <button type="submit" name="action" value="delete" class="danger">
        Delete
      </button>
    </form>
  );
};

export const SelectPost: FC<{ post: QueuedPost; timeZone: string }> = ({ post, timeZone }) => (
  <label class="select">
    <input
      type="checkbox"
      name="post"
      value={post.id}
      form="bulk"
      data-at={post.scheduledAt?.toISOString()}
      data-local={post.scheduledAt && toWallClock(post.scheduledAt, timeZone)}
    />
    <span class="visually-hidden">Select {post.caption.slice(0, 60) || "the post"}</span>
  </label>
);

const Bulk = z.object({
  post: z
    .union([z.guid(), z.array(z.guid())])
    .transform((ids) => [ids].flat())
    .pipe(z.array(z.guid()).min(1).max(MAX_POSTS)),
  action: z.enum(["move", "day", "pause", "delete"]),
  by: z.enum(Object.keys(MOVES) as [MoveName]).default("day"),
  day: z.iso.date().optional().catch(undefined),
  query: z.string().max(2_000).default(""),
});
type Bulk = z.output<typeof Bulk>;

/** Without a script; with one the page changes the posts itself, and can undo it. */
async function changePosts(c: PageContext): Promise<Response> {
  const parsed = Bulk.safeParse(await c.req.parseBody({ all: true }));
  if (!parsed.success) throw new PageError(400, `Select 1 to ${MAX_POSTS} posts, then choose what to do with them.`);
  const bulk = parsed.data;
  const query = new URLSearchParams(bulk.query);
  return redirectWithNotice(c, `queue${query.size > 0 ? `?${query}` : ""}`, async () => {
    if (bulk.action === "day" && !bulk.day) return "Choose the day first. The posts keep their times.";
    return bulk.action === "delete" ? deleteAll(c, bulk) : updateAll(c, bulk);
  });
}

async function deleteAll(c: PageContext, { post: ids }: Bulk): Promise<string> {
  const body = { post_ids: ids };
  const { deletedIds } = await runOperation<z.output<typeof PostDeleted>>(c, deletePosts, { body });
  const left = ids.slice(deletedIds.length).map(() => NOT_DELETED);
  return describeResult("deleted", deletedIds.length, left);
}

async function updateAll(c: PageContext, bulk: Bulk): Promise<string> {
  const reasons: string[] = [];
  for (const postId of bulk.post) {
    try {
      const body = await buildChange(c, bulk, postId);
      if (body) await runOperation(c, updatePost, { params: { postId }, body });
      else reasons.push(NO_TIME);
    } catch (error) {
      const known = toApiError(error);
      if (!known || known.status >= 500) throw error;
      reasons.push(describeRejection({ message: known.message, fields: known.extra.fields }, c.var.timeZone));
    }
  }
  const verb = bulk.action === "pause" ? "paused" : "moved";
  return describeResult(verb, bulk.post.length - reasons.length, reasons);
}

/** Null for a post that has no time to move. */
async function buildChange(c: PageContext, bulk: Bulk, postId: string): Promise<object | null> {
  if (bulk.action === "pause") return { draft: true };
  const { scheduled_at: at } = await runOperation<z.output<typeof PostSchema>>(c, getPost, { params: { postId } });
  if (!at) return null;
  const [from, { timeZone }] = [new Date(at), c.var];
  const to = bulk.action === "day" ? moveToDay(from, bulk.day ?? "", timeZone) : moveBy(from, bulk.by, timeZone);
  return { scheduled_at: toClockTime(to, timeZone) };
}

function moveBy(at: Date, name: MoveName, timeZone: string): Date {
  const amount = AMOUNTS[name];
  if ("hours" in amount) return new Date(at.getTime() + amount.hours * HOUR_MS);
  return moveToDay(at, addDays(toDay(at, timeZone), amount.days), timeZone);
}

export const queueBulkPages: Page[] = [
  { id: "posts.bulk", method: "POST", path: "/posts/bulk", role: "editor", handle: changePosts },
];
