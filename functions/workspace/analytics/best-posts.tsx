// The posts of a period, the strongest first by what a person chooses.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import type { TargetList } from "../../../lib/schemas/analytics.ts";
import listTargets from "../../analytics/list-targets.ts";
import listPosts from "../../analytics/summary-posts.ts";
import { formatInstant, formatNumber, getPlatformName } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { runOperation } from "../run-operation.ts";
import { hasRole } from "../session.ts";
import { type AnalyticsFilter, PeriodFilter, readFilter, toQuery, toSearch } from "./filter.tsx";
import { listMetrics, type MeasuredPost, type PostsPage, SORT_WORDS, SORTS, type Sort } from "./words.ts";

const PAGE_SIZE = 25;
const MAX_CAPTION = 220;
/** Of a link: longer ones are cut off by some servers. */
const MAX_LINKED_CAPTION = 2_200;

export function readPosts(
  c: PageContext,
  filter: AnalyticsFilter,
  page: { sort: Sort; limit: number; cursor?: string | undefined },
): Promise<PostsPage> {
  const { sort, limit, cursor } = page;
  const query = { ...toQuery(filter), sortBy: sort, limit: String(limit), ...(cursor ? { cursor } : {}) };
  return runOperation<PostsPage>(c, listPosts, { query });
}

export const readSort = (c: PageContext): Sort => SORTS.find((one) => one === c.req.query("sort")) ?? "views";

/** A cursor of another order, or one that is none, begins at the first page. */
const CURSOR = /^[\w-]{1,400}$/;

export async function showBestPosts(c: PageContext): Promise<Response> {
  const filter = readFilter(c);
  const sort = readSort(c);
  const given = c.req.query("cursor") ?? "";
  const cursor = CURSOR.test(given) ? given : undefined;
  const [{ targets }, found] = await Promise.all([
    runOperation<z.output<typeof TargetList>>(c, listTargets, { query: { limit: "100" } }),
    readPosts(c, filter, { sort, limit: PAGE_SIZE, cursor }).catch((error) =>
      cursor ? readPosts(c, filter, { sort, limit: PAGE_SIZE }) : Promise.reject(error),
    ),
  ]);
  const { posts, totalCount, next_cursor } = found;
  return c.html(
    <Layout c={c} title="Best posts" active="analytics" actions={<BackLink c={c} filter={filter} />}>
      <PeriodFilter filter={filter} targets={targets} extra={{ sort }} />
      <nav class="months" aria-label="Order">
        {SORTS.map((one) => (
          <a
            class="button"
            href={`?${toSearch(filter, { sort: one })}`}
            aria-current={one === sort ? "true" : undefined}
          >
            {SORT_WORDS[one]}
          </a>
        ))}
      </nav>
      {posts.length === 0 ? (
        <Empty title="No posts in this period">
          <p>
            Choose more days, or <a href={`/dashboard/${c.var.workspace.id}/analytics`}>refresh the accounts</a>.
          </p>
        </Empty>
      ) : (
        <>
          <p class="hint">{formatNumber(totalCount)} posts</p>
          <PostList c={c} posts={posts} />
        </>
      )}
      {next_cursor && (
        <Pager query={new URLSearchParams(toSearch(filter, { sort, cursor: next_cursor }))}>More posts</Pager>
      )}
    </Layout>,
  );
}

const BackLink: FC<{ c: PageContext; filter: AnalyticsFilter }> = ({ c, filter }) => (
  <a class="button" href={`/dashboard/${c.var.workspace.id}/analytics?${toSearch(filter)}`}>
    All figures
  </a>
);

export const PostList: FC<{ c: PageContext; posts: MeasuredPost[] }> = ({ c, posts }) => (
  <ol class="posts best">
    {posts.map((post) => (
      <BestPost c={c} post={post} />
    ))}
  </ol>
);

/** The policy of the page allows pictures of any host over TLS, and those of the CDN. */
const canShowImage = (url: string, cdnUrl: string) => url.startsWith("https:") || url.startsWith(cdnUrl);

const BestPost: FC<{ c: PageContext; post: MeasuredPost }> = ({ c, post }) => {
  const { workspace, timeZone, services } = c.var;
  const { postId, platform, permalink, thumbnailUrl, accountDisplayName, publishedAt } = post;
  const caption = post.caption.trim() || "Without words";
  const base = `/dashboard/${workspace.id}`;
  return (
    <li class="post">
      <span class="thumbnail text">
        {thumbnailUrl && canShowImage(thumbnailUrl, services.env.CDN_URL) ? (
          <img src={thumbnailUrl} alt="" loading="lazy" />
        ) : (
          <PlatformMark platform={platform} />
        )}
      </span>
      <div>
        <p class="line">
          {accountDisplayName} · {getPlatformName(platform)} · {formatInstant(new Date(publishedAt), timeZone)}
        </p>
        <p class="words">{caption.length > MAX_CAPTION ? `${caption.slice(0, MAX_CAPTION)}…` : caption}</p>
        <p class="line">{listMetrics(post).join(" · ")}</p>
      </div>
      <div class="post-actions">
        {permalink && (
          <a class="button" href={permalink} rel="noreferrer" target="_blank">
            Open on {getPlatformName(platform)}
          </a>
        )}
        {postId && (
          <a class="button" href={`${base}/posts/${postId}`}>
            Its post here
          </a>
        )}
        {hasRole(workspace.role, "editor") && post.caption.trim() !== "" && (
          <a
            class="button"
            href={`${base}/compose?${new URLSearchParams({ caption: post.caption.slice(0, MAX_LINKED_CAPTION) })}`}
          >
            Use again
          </a>
        )}
      </div>
    </li>
  );
};
