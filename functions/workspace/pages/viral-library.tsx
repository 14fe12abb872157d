// Search in the viral library. A search counts against its rate limit, so nothing is searched until somebody asks.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { CATEGORIES, VIRAL_PLATFORMS, type ViralPage } from "../../../lib/schemas/viral.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import searchViralLibrary from "../../viral-library/search.ts";
import { Choice } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";

const PAGE_SIZE = 24;
const MAX_TEXT = 200;

type Results = z.output<typeof ViralPage>;

async function showViralLibrary(c: PageContext): Promise<Response> {
  const q = c.req.query("q")?.trim().slice(0, MAX_TEXT) ?? "";
  const category = CATEGORIES.find((one) => one === c.req.query("category"));
  const platform = VIRAL_PLATFORMS.find((one) => one === c.req.query("platform"));
  const filter = { ...(q ? { q } : {}), ...(category ? { category } : {}), ...(platform ? { platform } : {}) };
  const found = Object.keys(filter).length > 0 ? await search(c, filter) : null;
  return c.html(
    <Layout c={c} title="Viral library" active="viral-library">
      <search>
        <form class="filters" method="get">
          <label>
            What it is about
            <input name="q" value={q} maxlength={MAX_TEXT} />
          </label>
          <Choice name="category" label="Category" value={category} options={CATEGORIES.map((one) => [one, one])} />
          <Choice name="platform" label="Network" value={platform} options={VIRAL_PLATFORMS.map((one) => [one, one])} />
          <button type="submit">Search</button>
        </form>
      </search>
      {found === null ? (
        <Empty title="Look for posts that went viral">
          <p>Describe them in your own words, such as “a morning routine with a product at the end”.</p>
        </Empty>
      ) : "problem" in found ? (
        <p class="notice problem" role="alert">
          {found.problem}
        </p>
      ) : found.posts.length === 0 ? (
        <Empty title="No post matches">
          <p>Use fewer words, or leave out the filters.</p>
        </Empty>
      ) : (
        <>
          <p class="hint">{found.total.toLocaleString("en-GB")} posts</p>
          <ul class="gallery">
            {found.posts.map((post) => (
              <ViralCard post={post} />
            ))}
          </ul>
        </>
      )}
    </Layout>,
  );
}

async function search(c: PageContext, filter: Record<string, string>): Promise<Results | { problem: string }> {
  try {
    return await runOperation<Results>(c, searchViralLibrary, { query: { ...filter, limit: String(PAGE_SIZE) } });
  } catch (error) {
    const known = toApiError(error);
    if (known?.code !== "rate_limited" && known?.code !== "provider_unavailable") throw error;
    return { problem: known.message };
  }
}

const ViralCard: FC<{ post: Results["posts"][number] }> = ({ post }) => {
  const { link, hook_text, caption, account, platform, metrics, preview_image_url, date_published } = post;
  return (
    <li class="card">
      {preview_image_url && <img src={preview_image_url} alt="" loading="lazy" />}
      <a href={link} rel="noreferrer" target="_blank">
        <strong>{(hook_text ?? caption ?? "Without words").slice(0, 120)}</strong>
      </a>
      <p class="hint">
        {account} · {platform} · {date_published}
        {metrics.views !== null && ` · ${metrics.views.toLocaleString("en-GB")} views`}
      </p>
    </li>
  );
};

export const viralLibraryPages: Page[] = [
  { id: "viral-library.show", method: "GET", path: "/viral-library", role: "viewer", handle: showViralLibrary },
];
