// Markdown and HTML of the reference page.
import { Marked } from "marked";

const marked = new Marked({ gfm: true });

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Headings of a guide are one level below its title. */
export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false });
  return html
    .replaceAll(/<(\/?)h2/g, "<$1h3")
    .replaceAll("<table>", '<div class="wide"><table>')
    .replaceAll("</table>", "</table></div>");
}

export function renderInline(text: string): string {
  return marked.parseInline(text, { async: false });
}

/** A block of code with a button that copies it. */
export function renderCode(title: string, code: string): string {
  return `<figure><figcaption>${escapeHtml(title)}<button type="button" data-copy>Copy</button></figcaption><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></figure>`;
}
