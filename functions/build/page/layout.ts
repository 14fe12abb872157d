// The reference page: guides and operations in one static document, so that it is readable before any script runs.
// Not a viewer such as Scalar or Redoc: Scalar 1.72.1 was 1,230 KiB of compressed script, this page is a tenth of that.
import type { Documentation } from "../../../lib/http/openapi-documentation.ts";
import type { Guide } from "../documentation.ts";
import { listOperations, type OpenApiDocument, type PlacedOperation, toAnchor } from "./document.ts";
import { escapeHtml, renderInline, renderMarkdown } from "./markdown.ts";
import { renderOperation } from "./operation.ts";

export interface PageFiles {
  /** Addresses, with a hash of the content. */
  style: string;
  script: string;
}

export function renderPage(
  document: OpenApiDocument,
  guides: Guide[],
  examples: Documentation["examples"],
  files: PageFiles,
): string {
  const operations = listOperations(document);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Guides and reference of the Partner API">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files.style}">
<title>${escapeHtml(document.info.title)} reference</title>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><b>${escapeHtml(document.info.title)}</b><button type="button" id="menu" aria-expanded="false" aria-controls="side">Contents</button></header>
<nav id="side" aria-label="Contents">
<a class="title" href="#top">${escapeHtml(document.info.title)}</a>
<input type="search" id="filter" placeholder="Filter" aria-label="Filter the contents">
<p id="nothing" role="status" hidden>Nothing found.</p>
${renderContents(document, guides, operations)}
</nav>
<main id="main" data-base="${escapeHtml(document.servers[0]?.url ?? "")}">
<section class="guide" id="top"><h1>${escapeHtml(document.info.title)}</h1>${renderMarkdown(document.info.description)}</section>
${guides.map(renderGuide).join("\n")}
${document.tags.map((tag) => renderTag(document, tag, operations, examples)).join("\n")}
</main>
<script src="${files.script}" defer></script>
</body>
</html>
`;
}

function renderContents(document: OpenApiDocument, guides: Guide[], operations: PlacedOperation[]): string {
  const link = (id: string, text: string, mark = "") => `<li><a href="#${id}">${mark}${escapeHtml(text)}</a></li>`;
  const groups = document["x-tagGroups"].flatMap(({ tags }) => tags);
  return [
    '<p class="files"><a href="/openapi.json">OpenAPI</a> <a href="/llms.txt">llms.txt</a></p>',
    `<h2>Guides</h2><ul>${guides.map(({ id, title }) => link(id, title)).join("")}</ul>`,
    ...groups.map((tag) => {
      const rows = operations
        .filter(({ tags }) => tags[0] === tag)
        .map(({ operationId, summary, method }) =>
          link(toAnchor(operationId), summary, `<b class="method ${method.toLowerCase()}">${method}</b>`),
        );
      return `<h2>${escapeHtml(tag)}</h2><ul>${rows.join("")}</ul>`;
    }),
  ].join("\n");
}

function renderGuide({ id, title, text }: Guide): string {
  const source = `<a class="source" href="/docs/${id}.md">Markdown<span class="unseen"> of ${escapeHtml(title)}</span></a>`;
  return `<section class="guide" id="${id}">${source}<h2><a href="#${id}">${escapeHtml(title)}</a></h2>${renderMarkdown(text, id)}</section>`;
}

function renderTag(
  document: OpenApiDocument,
  { name, description }: { name: string; description: string },
  operations: PlacedOperation[],
  examples: Documentation["examples"],
): string {
  const own = operations.filter(({ tags }) => tags[0] === name);
  const id = `tag-${name.toLowerCase().replaceAll(" ", "-")}`;
  return `<section class="tag" id="${id}"><h2>${escapeHtml(name)}</h2><p>${renderInline(description)}</p></section>
${own.map((operation) => renderOperation(document, operation, examples[operation.operationId] ?? [])).join("\n")}`;
}
