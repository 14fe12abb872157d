// The queue: every post with the state of each of its accounts. The list is fetched again while the page is open.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { listQueuedPosts, type QueuedPost } from "../../../lib/queries/queue.ts";
import { readAll } from "../../../lib/queries/read.ts";
import type { PostDeleted, PostRetried } from "../../../lib/schemas/post-changes.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { addDays, getStartOfDay } from "../../../lib/shared/time-zone.ts";
import deletePosts from "../../posts/delete.ts";
import retryPosts from "../../posts/retry.ts";
import updatePost from "../../posts/update.ts";
import { formatInstant } from "../format.ts";
import { ActionForm, Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import { type Page, type PageContext, takeLoaded } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, requireId } from "../session.ts";
import { DeliveryState, MOVING, StatusBadge, Thumbnail } from "./post-states.tsx";
import { BulkForm, SelectPost } from "./queue-bulk.tsx";
import { Filter, FilterForm } from "./queue-filter.tsx";

const PAGE_SIZE = 30;

function loadQueue(c: PageContext, workspaceId: string) {
  const { services, timeZone } = c.var;
  const filter = Filter.parse(c.req.query());
  const [at, id] = filter.before ?? [];
  return readAll(services.db, [
    listQueuedPosts(services.db, workspaceId, {
      status: filter.status,
      platform: filter.network,
      accountId: filter.account,
      source: filter.source,
      ...readDay(filter.day, timeZone),
      order: getOrder(filter),
      after: at && id ? { at: new Date(at), id } : undefined,
      limit: PAGE_SIZE,
    }),
    // Posts of a disconnected account can be filtered too.
    listAccounts(services.db, { id: workspaceId }, "all"),
  ]);
}

async function showQueue(c: PageContext): Promise<Response> {
  const { workspace, timeZone } = c.var;
  const filter = Filter.parse(c.req.query());
  const isFiltered = Object.values(filter).some(Boolean);
  const [posts, accounts] = await takeLoaded(c, loadQueue);
  const list = (
    <PostList
      c={c}
      posts={posts}
      filter={filter}
      isFiltered={isFiltered}
      hasAccounts={accounts.some(({ status }) => status === "active")}
    />
  );
  if (c.req.header("x-fragment") === "list") return c.html(list);
  return c.html(
    <Layout c={c} title="Queue" active="queue" scripts={["queue"]}>
      {(posts.length > 0 || isFiltered) && <StateLinks filter={filter} />}
      {(posts.length > 0 || isFiltered) && <FilterForm filter={filter} accounts={accounts} />}
      {posts.length > 0 && <p class="hint">Times are in {timeZone}.</p>}
      {hasRole(workspace.role, "editor") && posts.length > 0 && <BulkForm c={c} />}
      <div id="live" data-interval={filter.before ? undefined : "3000"}>
        {list}
      </div>
      <p id="live-note" class="visually-hidden" role="status" />
    </Layout>,
  );
}

function readDay(day: string | undefined, timeZone: string): { from?: Date; until?: Date } {
  return day ? { from: getStartOfDay(day, timeZone), until: getStartOfDay(addDays(day, 1), timeZone) } : {};
}

/** Scheduled posts are listed as they go out. */
const getOrder = ({ status }: Filter) => (status === "scheduled" ? "next" : "newest");

const toOrderedInstant = ({ scheduledAt, createdAt }: QueuedPost, isNext: boolean) =>
  isNext ? (scheduledAt ?? createdAt) : createdAt;

const STATES = [
  [undefined, "All"],
  ["scheduled", "Next out"],
  ["draft", "Drafts"],
  ["posted", "Published"],
  ["failed", "Failed"],
] as const;

/** Links to the states that people look for most; each keeps the rest of the filter. */
const StateLinks: FC<{ filter: Filter }> = ({ filter: { before: _, ...filter } }) => (
  <nav class="months states" aria-label="State">
    {STATES.map(([status, text]) => {
      const kept = Object.entries({ ...filter, status }).filter((one): one is [string, string] => Boolean(one[1]));
      return (
        <a
          class="button"
          href={`?${new URLSearchParams(kept)}`}
          aria-current={filter.status === status ? "page" : undefined}
        >
          {text}
        </a>
      );
    })}
  </nav>
);

interface ListProps {
  c: PageContext;
  posts: QueuedPost[];
  filter: Filter;
  isFiltered: boolean;
  hasAccounts: boolean;
}

const PostList: FC<ListProps> = ({ c, posts, filter, isFiltered, hasAccounts }) => {
  if (posts.length === 0) return <NothingHere c={c} isFiltered={isFiltered} hasAccounts={hasAccounts} />;
  const last = posts.length === PAGE_SIZE ? posts.at(-1) : undefined;
  const query = new URLSearchParams(Object.entries(c.req.query()).filter(([name]) => name !== "before"));
  const isNext = getOrder(filter) === "next";
  if (last) query.set("before", `${toOrderedInstant(last, isNext).toISOString()}_${last.id}`);
  return (
    <>
      <ol
        class="posts"
        data-live
        data-moving={posts.some(({ status }) => MOVING.includes(status)) ? "true" : undefined}
      >
        {posts.map((post) => (
          <QueueItem c={c} post={post} />
        ))}
      </ol>
      {last && <Pager query={query}>{isNext ? "Later posts" : "Older posts"}</Pager>}
    </>
  );
};

const NothingHere: FC<{ c: PageContext; isFiltered: boolean; hasAccounts: boolean }> = ({
  c,
  isFiltered,
  hasAccounts,
}) => {
  const base = `/dashboard/${c.var.workspace.id}`;
  if (isFiltered) {
    return (
      <Empty title="No post matches">
        <p>
          Change the filter, or <a href="?">show all posts</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No posts yet">
      <p>
        {hasAccounts
          ? "Write the first post. It appears here, and shows what each network says about it."
          : "A post goes to accounts. Connect the first one, then write a post: it appears here, and shows what each network says about it."}
      </p>
      {hasRole(c.var.workspace.role, "editor") && (
        <p class="row">
          {!hasAccounts && (
            <a class="button primary" href={`${base}/accounts`}>
              Connect an account
            </a>
          )}
          {hasAccounts && (
            <a class="button primary" href={`${base}/compose`}>
              Write a post
            </a>
          )}
          <a class="button" href={`${base}/slideshows/new`}>
            Make a slideshow
          </a>
        </p>
      )}
      {hasRole(c.var.workspace.role, "admin") && (
        <p class="hint">
          Programs post with an <a href={`${base}/keys`}>API key</a>.
        </p>
      )}
    </Empty>
  );
};

const QueueItem: FC<{ c: PageContext; post: QueuedPost }> = ({ c, post }) => {
  const { workspace, now, timeZone } = c.var;
  const { id, caption, status, media, scheduledAt, createdAt, deliveries } = post;
  const at = scheduledAt ?? createdAt;
  return (
    <li class="post" id={`post-${id}`}>
      {hasRole(workspace.role, "editor") && <SelectPost post={post} timeZone={c.var.timeZone} />}
      <Thumbnail media={media} />
      <div class="body">
        <div class="line">
          <StatusBadge status={status} />
          <time datetime={at.toISOString()}>{formatInstant(at, timeZone)}</time>
          {post.metadata.source === "dashboard" && <span class="hint">from the dashboard</span>}
        </div>
        <h2 dir="auto">
          <a href={`/dashboard/${workspace.id}/posts/${id}`}>{caption.slice(0, 140) || "Without a caption"}</a>
        </h2>
        <ul class="deliveries" aria-label="Accounts">
          {deliveries.map((delivery) => (
            <DeliveryState delivery={delivery} now={now} timeZone={timeZone} />
          ))}
        </ul>
      </div>
      {hasRole(workspace.role, "editor") && <PostActions c={c} post={post} from="queue" />}
    </li>
  );
};

/** The actions that the state of the post permits. */
export const PostActions: FC<{ c: PageContext; post: QueuedPost; from: "queue" | "post" }> = ({ c, post, from }) => {
  const path = `/dashboard/${c.var.workspace.id}/posts/${post.id}`;
  const isUnknown = post.deliveries.some(
    ({ errorCode, status }) => status === "failed" && errorCode === "outcome_unknown",
  );
  const canRetry = post.deliveries.some(({ status }) => status === "failed");
  const canDelete = ["draft", "scheduled", "failed"].includes(post.status);
  return (
    <div class="post-actions">
      {post.status === "draft" && (
        <a class="button" href={`/dashboard/${c.var.workspace.id}/compose?draft=${post.id}`}>
          Edit
        </a>
      )}
      {post.status === "scheduled" && <ActionForm action={`${path}/edit`}>Edit</ActionForm>}
      {canRetry && (
        <form method="post" action={`${path}/retry`}>
          <input type="hidden" name="from" value={from} />
          <button type="submit">{isUnknown ? "Check again" : "Retry"}</button>
          {isUnknown && (
            <button
              type="submit"
              name="resend"
              value="true"
              data-confirm="Send it again? Do this only if you looked at the account and the post is not there."
            >
              Send again
            </button>
          )}
        </form>
      )}
      {canDelete && (
        <ActionForm
          action={`${path}/delete`}
          question={post.status === "scheduled" ? "Cancel this post? It will not be published." : "Delete this post?"}
          buttonClass="quiet"
        >
          {post.status === "scheduled" ? "Cancel" : "Delete"}
        </ActionForm>
      )}
    </div>
  );
};

async function retry(c: PageContext): Promise<Response> {
  const id = c.req.param("postId") ?? "";
  const form = await c.req.parseBody();
  const path = form.from === "post" && isUuid(id) ? `posts/${id}` : "queue";
  return redirectWithNotice(c, path, async () => {
    const body = { post_ids: [id], ...(form.resend === "true" ? { resend: true } : {}) };
    const result = await runOperation<z.output<typeof PostRetried>>(c, retryPosts, { body });
    const [reason] = Object.values(result.errors);
    return reason ?? "The failed accounts are tried again now.";
  });
}

/** The composer changes drafts, so that a scheduled post becomes one, and keeps its time. */
async function edit(c: PageContext): Promise<Response> {
  const postId = requireId(c, "postId", "post");
  const makeDraft = async () => {
    await runOperation(c, updatePost, { params: { postId }, body: { draft: true } });
    return "The post is a draft now, and keeps its time. It goes out when you schedule it again.";
  };
  return redirectWithNotice(c, `compose?draft=${postId}`, makeDraft, `posts/${postId}`);
}

async function remove(c: PageContext): Promise<Response> {
  return redirectWithNotice(c, "queue", async () => {
    const body = { post_ids: [c.req.param("postId") ?? ""] };
    const { deletedIds, blockedStatuses } = await runOperation<z.output<typeof PostDeleted>>(c, deletePosts, { body });
    if (deletedIds.length > 0) return "The post is deleted. Nothing of it will be published.";
    return blockedStatuses.length > 0
      ? "The post is being published or is out already, so it stays."
      : "There is no such post any more.";
  });
}

export const queuePages: Page[] = [
  { id: "queue.show", method: "GET", path: "/queue", role: "viewer", load: loadQueue, handle: showQueue },
  { id: "posts.retry", method: "POST", path: "/posts/:postId/retry", role: "editor", handle: retry },
  { id: "posts.edit", method: "POST", path: "/posts/:postId/edit", role: "editor", handle: edit },
  { id: "posts.delete", method: "POST", path: "/posts/:postId/delete", role: "editor", handle: remove },
];
