// The viral library: it opens with the newest posts, and is searched by what a person has in mind.
import type { FC } from "hono/jsx";
import { formatNumber, formatPlainDay, getPlatformName } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { describeKind, findFilterProblem, LibraryFilter, LibraryFilterForm, toQuery } from "./filter.tsx";
import { isProblem, type LibraryPage, type LibraryPost, search } from "./read-library.ts";

/** A search costs as many of the day's 2,000 results as it asks for. */
const PAGE_SIZE = 12;
const CURSOR = /^[\w-]{1,400}$/;

export async function showLibrary(c: PageContext): Promise<Response> {
  const filter = LibraryFilter.parse(c.req.query());
  const problem = findFilterProblem(filter);
  const given = c.req.query("cursor") ?? "";
  const query = toQuery(filter);
  const page: Record<string, string> = CURSOR.test(given) ? { ...query, cursor: given } : query;
  const found = problem ? { problem } : await search(c, { ...page, limit: String(PAGE_SIZE) });
  const isSearch = Object.keys(query).length > 0;
  return c.html(
    <Layout c={c} title="Viral library" active="viral-library">
      <p class="lead">Posts of others that went past 10,000 views, to learn from.</p>
      <LibraryFilterForm filter={filter} />
      {isProblem(found) ? (
        <p class="notice problem" role="alert">
          {found.problem}
        </p>
      ) : (
        <Results c={c} found={found} query={query} isSearch={isSearch} />
      )}
    </Layout>,
  );
}

interface ResultsProps {
  c: PageContext;
  found: LibraryPage;
  query: Record<string, string>;
  isSearch: boolean;
}

const Results: FC<ResultsProps> = ({ c, found: { posts, total, next_cursor }, query, isSearch }) => {
  if (posts.length === 0)
    return isSearch ? (
      <Empty title="No post matches">
        <p>
          Use fewer words, leave out filters, or <a href="?">look at the newest</a>.
        </p>
      </Empty>
    ) : (
      <Empty title="The library is empty">
        <p>Nobody has put posts into it yet. The people who run this service import them.</p>
      </Empty>
    );
  return (
    <>
      <p class="hint">
        {formatNumber(total)} posts{!isSearch && ", the newest first"}
      </p>
      <LibraryGallery c={c} posts={posts} />
      {next_cursor && <Pager query={{ ...query, cursor: next_cursor }}>More posts</Pager>}
    </>
  );
};

export const LibraryGallery: FC<{ c: PageContext; posts: LibraryPost[] }> = ({ c, posts }) => (
  <ul class="gallery">
    {posts.map((post) => (
      <LibraryCard c={c} post={post} />
    ))}
  </ul>
);

const MAX_TITLE = 120;

export const getTitle = ({ hook_text, caption }: LibraryPost): string =>
  (hook_text ?? caption ?? "Without words").slice(0, MAX_TITLE);

const LibraryCard: FC<{ c: PageContext; post: LibraryPost }> = ({ c, post }) => {
  const { id, content_type, account, platform, metrics, preview_image_url, date_published, slide_count } = post;
  return (
    <li class="card">
      <a href={`/dashboard/${c.var.workspace.id}/viral-library/${encodeURIComponent(id)}`} data-deeper>
        {preview_image_url ? (
          <img src={preview_image_url} alt="" loading="lazy" />
        ) : (
          <span class="unrendered">
            <PlatformMark platform={platform} />
          </span>
        )}
        <strong>{getTitle(post)}</strong>
      </a>
      <p class="hint">
        {account && `${account} · `}
        {getPlatformName(platform)} · {formatPlainDay(date_published)}
      </p>
      <p class="hint">
        {slide_count ? `${slide_count} slides` : describeKind(content_type)}
        {metrics.views !== null && ` · ${formatNumber(metrics.views)} views`}
      </p>
    </li>
  );
};
