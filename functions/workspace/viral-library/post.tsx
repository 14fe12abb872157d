// One post of the viral library: why it works, its slides with their texts, and what can be made of it.
import type { FC } from "hono/jsx";
import { formatNumber, formatPlainDay, getPlatformName } from "../format.ts";
import { IdeaLinks } from "../idea-links.tsx";
import { Layout, NoticeBox } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { capitalize, describeKind, getLanguageName, MAX_TEXT } from "./filter.tsx";
import { getTitle, LibraryGallery } from "./overview.tsx";
import { isProblem, type LibraryPost, readPost, readTranscript, search } from "./read-library.ts";

const SIMILAR = 6;

export async function showLibraryPost(c: PageContext): Promise<Response> {
  const postId = c.req.param("postId") ?? "";
  const post = await readPost(c, postId);
  if (isProblem(post))
    return c.html(
      <Layout c={c} title="Viral library" active="viral-library">
        <NoticeBox notice={{ kind: "problem", text: post.problem }} />
      </Layout>,
      429,
    );
  const shown = c.req.queries("show") ?? [];
  const back = (
    <a class="button" href={`/dashboard/${c.var.workspace.id}/viral-library`}>
      The library
    </a>
  );
  return c.html(
    <Layout c={c} title={getTitle(post)} active="viral-library" actions={back}>
      <p class="row">
        <IdeaLinks
          c={c}
          caption={describeCaption(post)}
          prompt={describePrompt(post)}
          about={getTitle(post)}
          captionLabel="Write a post from this"
          promptLabel="Make a slideshow like this"
        />
        <a class="button" href={post.link} rel="noreferrer" target="_blank">
          Open on {getPlatformName(post.platform)}
        </a>
      </p>
      {post.caption && (
        <p class="caption" dir="auto">
          {post.caption}
        </p>
      )}
      <Facts post={post} />
      <Slides post={post} />
      <section id="transcript">
        <h2>What is said</h2>
        {shown.includes("transcript") ? (
          <SpokenWords c={c} postId={postId} />
        ) : (
          <More name="transcript" shown={shown}>
            Show what is said
          </More>
        )}
      </section>
      <section id="similar">
        <h2>Similar posts</h2>
        {shown.includes("similar") ? (
          <Similar c={c} post={post} />
        ) : (
          <More name="similar" shown={shown}>
            Find similar posts
          </More>
        )}
      </section>
    </Layout>,
  );
}

/** Loaded when it is asked for: a search and a transcript count toward what the workspace may read in a day. */
const More: FC<{ name: string; shown: string[]; children: string }> = ({ name, shown, children }) => {
  const search = new URLSearchParams([...shown, name].slice(0, 5).map((one) => ["show", one]));
  return (
    <p>
      <a class="button" href={`?${search}#${name}`}>
        {children}
      </a>
    </p>
  );
};

function describeCaption({ hook_text, caption, hashtags }: LibraryPost): string | null {
  return [hook_text ?? caption, formatHashtags(hashtags)].filter(Boolean).join("\n\n") || null;
}

/** Imports keep them as they came, with or without the sign. */
const formatHashtags = (hashtags: readonly string[]): string =>
  hashtags.map((tag) => `#${tag.replace(/^#/, "")}`).join(" ");

function describePrompt({ hook_text, caption, search_summary, slide_count, niche }: LibraryPost): string | null {
  const idea = hook_text ?? caption;
  if (!idea) return null;
  return [
    `A slideshow that opens like “${idea}”.`,
    search_summary ?? "",
    niche ? `For ${niche}.` : "",
    slide_count ? `About ${slide_count} slides.` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

const Facts: FC<{ post: LibraryPost }> = ({ post }) => {
  const { metrics, hook_analysis: hook, product_app: app, ad_signal: ad } = post;
  const rows: (readonly [string, string | null | undefined])[] = [
    ["Account", post.account],
    ["Posted", formatPlainDay(post.date_published)],
    ...Object.entries(metrics).map(
      ([name, value]) => [capitalize(name), value === null ? null : formatNumber(value)] as const,
    ),
    ["Kind", describeKind(post.content_type)],
    ["Category", capitalize(post.category)],
    ["Niche", post.niche],
    ["Language", post.language && getLanguageName(post.language)],
    ["Opening", post.hook_text],
    ["Form of the opening", hook?.format_template],
    ["Why it holds", hook?.psychology_tags.join(", ")],
    ["In short", post.search_summary],
    ["Topics", post.topics.join(", ")],
    ["Hashtags", formatHashtags(post.hashtags)],
    ["Product", [post.product_name, app?.name].filter(Boolean).join(", ")],
    ["Paid reach", ad && (ad.status === "ad" ? `An ad: ${ad.reason}` : `Likely an ad: ${ad.reason}`)],
    ["Paid creator", post.creator_sponsored === null ? null : post.creator_sponsored ? "Yes" : "No"],
  ];
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
};

const Slides: FC<{ post: LibraryPost }> = ({ post: { image_urls, slide_texts } }) => {
  const count = Math.max(image_urls.length, slide_texts?.length ?? 0);
  return count === 0 ? null : (
    <section>
      <h2>Slides</h2>
      <ol class="gallery">
        {Array.from({ length: count }, (_, at) => (
          <li class="card">
            {image_urls[at] ? (
              <img src={image_urls[at]} alt={`Slide ${at + 1}`} loading="lazy" />
            ) : (
              <span class="unrendered">Slide {at + 1}</span>
            )}
            <p>{slide_texts?.[at] || <span class="hint">Slide {at + 1} has no words.</span>}</p>
          </li>
        ))}
      </ol>
    </section>
  );
};

const SpokenWords: FC<{ c: PageContext; postId: string }> = async ({ c, postId }) => {
  const transcript = await readTranscript(c, postId);
  return <p class="words">{isProblem(transcript) ? transcript.problem : transcript.text}</p>;
};

/** By the meaning of its own words. */
const Similar: FC<{ c: PageContext; post: LibraryPost }> = async ({ c, post }) => {
  const words = (post.search_summary ?? post.hook_text ?? post.caption ?? "").trim();
  if (words === "") return <p class="hint">This post has no words to compare.</p>;
  const q = words.slice(0, MAX_TEXT).toWellFormed().trim();
  // The post itself is the first of them.
  const found = await search(c, { q, limit: String(SIMILAR + 1) });
  if (isProblem(found)) return <p class="notice problem">{found.problem}</p>;
  const posts = found.posts.filter(({ id }) => id !== post.id).slice(0, SIMILAR);
  return posts.length === 0 ? (
    <p class="hint">No other post is like this one.</p>
  ) : (
    <LibraryGallery c={c} posts={posts} />
  );
};
