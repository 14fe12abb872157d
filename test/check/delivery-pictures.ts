// The pictures of the table of deliveries: text for the guide "The life of a post", a diagram for ARCHITECTURE.md.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PHASES } from "../../lib/publishing/delivery-table.ts";

const ROOT = join(import.meta.dirname, "../..");
const WIDTH = 76;

/** Phase -> next phase or end -> the events that lead there. */
function listEdges(): [phase: string, next: string, events: string[]][] {
  return Object.entries(PHASES).flatMap(([phase, { on }]) => {
    const byNext = Map.groupBy(Object.entries(on), ([, { next }]) => next);
    return [...byNext].map(([next, rows]): [string, string, string[]] => [
      phase,
      next,
      rows.map(([event]) => event.replaceAll("_", " ")),
    ]);
  });
}

/** A line per arrow, its events wrapped. */
function renderText(): string {
  const lines = listEdges().flatMap(([phase, next, events]) => {
    const wrapped = wrap(events.join(", "), WIDTH - 26);
    return wrapped.map(
      (text, at) => `${(at ? "" : phase).padEnd(11)} ${at ? "  " : "->"} ${(at ? "" : next).padEnd(11)}${text}`,
    );
  });
  return `\`\`\`text\n${lines.join("\n")}\n\`\`\``;
}

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line && line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

/** Arrows back to the same phase are left out: the text has them. */
function renderDiagram(): string {
  const ends = new Set(["posted", "failed", "void", "unknown"]);
  const edges = listEdges().filter(([phase, next]) => phase !== next);
  const arrows = edges.map(([phase, next, events]) => {
    const label =
      events.length > 3 ? `${events.slice(0, 2).join(", ")} and ${events.length - 2} more` : events.join(", ");
    return `  ${phase} --> ${next}: ${label}`;
  });
  const final = [...ends].map((end) => `  ${end} --> [*]`);
  return [
    "```mermaid",
    "stateDiagram-v2",
    "  [*] --> unprepared: scheduled",
    "  [*] --> new: due",
    ...arrows,
    ...final,
    "```",
  ].join("\n");
}

const PICTURES = [
  { path: "functions/meta/reference/guides/08-life-of-a-post.md", block: /```text\n[\s\S]*?\n```/, render: renderText },
  { path: ".github/ARCHITECTURE.md", block: /```mermaid\nstateDiagram-v2\n[\s\S]*?\n```/, render: renderDiagram },
];

/** Writes the pictures into their files; with `check`, returns the files whose picture is stale instead. */
export async function updateDeliveryPictures({ check }: { check: boolean }): Promise<string[]> {
  const stale: string[] = [];
  for (const { path, block, render } of PICTURES) {
    const text = await readFile(join(ROOT, path), "utf8");
    if (!block.test(text)) throw new Error(`${path} has no picture of the table of deliveries.`);
    const fresh = text.replace(block, render);
    if (fresh !== text) stale.push(path);
    if (!check) await writeFile(join(ROOT, path), fresh);
  }
  return stale;
}
