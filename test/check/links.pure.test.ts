// Every link between the project's own pages leads to a file, and to a heading of it.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const pages = ["README.md", ...globSync(".github/**/*.md", { cwd: ROOT })];
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The anchors that GitHub gives to headings. */
function listAnchors(markdown: string): string[] {
  const headings = [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, text = ""]) => text.toLowerCase());
  return headings.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}

test.each(pages)("%s links to files and headings that exist", (page) => {
  const links = [...read(page).matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].map(([, target = ""]) => target);
  const broken = links.filter((target) => {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !listAnchors(read(file)).includes(anchor);
  });
  expect(broken).toEqual([]);
});
