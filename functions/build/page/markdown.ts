// Markdown and HTML of the reference page.
import { Marked } from "marked";
import type { Sample } from "./request.ts";

/** Titles of blocks of code by their language; others have none. */
const LANGUAGES: Record<string, string> = {
  ...{ sh: "Shell", ts: "TypeScript", json: "JSON" },
  ...{ py: "Python", php: "PHP", go: "Go" },
};

const marked = new Marked({ gfm: true });

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/**
 * Headings are one level below the title of the guide `id`; they and error codes link to themselves; code can be copied.
 * The Markdown of one guide links to the file of another, which the page has in a place of its own.
 */
export function renderMarkdown(text: string, id = ""): string {
  const html = marked.parse(text, { async: false });
  return (
    html
      .replaceAll(/<h([23])>(.*?)<\/h[23]>/g, (_, level: string, title: string) => {
        const anchor = `${id}-${toAnchor(title)}`;
        const tag = `h${Number(level) + 1}`;
        return id ? `<${tag} id="${anchor}"><a href="#${anchor}">${title}</a></${tag}>` : `<${tag}>${title}</${tag}>`;
      })
      .replaceAll(/<li>(<code>([a-z0-9_]+)<\/code>):/g, (item, code: string, name: string) =>
        id === "errors" ? `<li id="errors-${name}"><a href="#errors-${name}">${code}</a>:` : item,
      )
      .replaceAll(
        /<pre><code(?: class="language-([a-z]+)")?>([\s\S]*?)<\/code><\/pre>/g,
        (_, language: string | undefined, code: string) => toFigure(LANGUAGES[language ?? ""] ?? "", code),
      )
      .replaceAll(/href="\/docs\/([a-z-]+)\.md"/g, 'href="#$1"')
      // Scrolled with the keyboard too where it is wider than the page.
      .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
      .replaceAll("</table>", "</table></div>")
  );
}

export function renderInline(text: string): string {
  return marked.parseInline(text, { async: false });
}

/** `Before you start` as `before-you-start`, without the markup of code. */
function toAnchor(title: string): string {
  return title
    .replaceAll(/<[^>]+>|&\w+;/g, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** A block of code with a button that copies it. */
export function renderCode(title: string, code: string): string {
  return toFigure(escapeHtml(title), escapeHtml(code));
}

/** The same request in several languages, of which the first is shown. */
export function renderSamples(title: string, samples: Sample[]): string {
  const blocks = samples.map(
    ({ language, code }, at) =>
      `<code data-language="${language}"${at === 0 ? "" : " hidden"}>${escapeHtml(code)}</code>`,
  );
  return wrapInFigure(escapeHtml(title), blocks.join(""));
}

function toFigure(title: string, code: string): string {
  return wrapInFigure(title, `<code>${code}</code>`);
}

/** A block without a title is a diagram, whose lines do not wrap. */
function wrapInFigure(title: string, blocks: string): string {
  return `<figure${title ? "" : ' class="plain"'}><figcaption><span>${title}</span><button type="button" data-copy>Copy</button></figcaption><pre tabindex="0">${blocks}</pre></figure>`;
}
