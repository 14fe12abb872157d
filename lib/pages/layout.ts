// The frame of the pages that people see: HTML that works without script, light and dark, on phone and desktop.
import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

interface Page {
  title: string;
  /** A URL that the browser opens without a click; the body has it as a link too. */
  next?: string;
}

export const STYLE_PATH = "/connect/style.css";

export function renderPage({ title, next }: Page, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${next ? html`<meta http-equiv="refresh" content="0;url=${next}">` : ""}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
<title>${title}</title>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`;
}

/** No script at all, styles from this service only, and forms that post back to it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

export const STYLE = `
:root { color-scheme: light dark; --ground: #f5f5f4; --card: #fff; --ink: #1c1b1a; --soft: #5f5b57; --line: #dcd8d3;
  --accent: #1d4ed8; --on-accent: #fff; --good: #e7f5ea; --good-ink: #14532d; --bad: #fdecec; --bad-ink: #8a1414; }
@media (prefers-color-scheme: dark) { :root { --ground: #161514; --card: #211f1e; --ink: #f2efec; --soft: #b3ada7;
  --line: #3d3936; --accent: #8fb0ff; --on-accent: #101624; --good: #14311d; --good-ink: #b7ecc6; --bad: #3b1717;
  --bad-ink: #ffc9c9; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
p { margin: 0 0 1rem; }
.soft { color: var(--soft); font-size: .9375rem; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .625rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .75rem 1rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .125rem 1rem; }
.row b, .choice span { overflow-wrap: anywhere; min-width: 0; }
.notice { border-radius: .75rem; padding: .875rem 1rem; margin: 0 0 1.25rem; }
.good { background: var(--good); color: var(--good-ink); }
.bad { background: var(--bad); color: var(--bad-ink); }
button, .button { display: inline-block; font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.125rem;
  border-radius: .5rem; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
  cursor: pointer; text-decoration: none; text-align: center; }
.plain { background: transparent; color: var(--accent); }
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
label { display: block; font-weight: 600; margin: .75rem 0 .25rem; }
input[type="text"], input[type="password"] { width: 100%; min-height: 2.75rem; font: inherit; padding: .5rem .75rem;
  color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .5rem; }
.choice { display: flex; align-items: center; gap: .75rem; margin: 0; font-weight: 400; cursor: pointer; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; accent-color: var(--accent); }
.choice small { display: block; color: var(--soft); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.end { margin-top: 2rem; }
details summary { cursor: pointer; min-height: 2.75rem; display: flex; align-items: center; justify-content: space-between;
  gap: 1rem; list-style: none; font-weight: 600; }
details summary::-webkit-details-marker { display: none; }
details summary::after { content: "+"; font-size: 1.5rem; line-height: 1; color: var(--accent); }
details[open] summary::after { content: "−"; }
@media (max-width: 26rem) { .actions > *, .actions button { width: 100%; } }
`;
