// Reads the Markdown and the recorded examples of functions/meta/reference, for the OpenAPI document and the reference page.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Documentation, EventText, Example, OperationText } from "../../lib/http/openapi-documentation.ts";

export const REFERENCE_FOLDER = join(import.meta.dirname, "../meta/reference");

export interface Guide {
  /** Its address on the page, and its file name. */
  id: string;
  title: string;
  /** Markdown without the title. */
  text: string;
}

export async function readDocumentation(): Promise<Documentation> {
  const [overview, errors, events, operations, fields, examples] = await Promise.all([
    readFile(join(REFERENCE_FOLDER, "overview.md"), "utf8"),
    readFile(join(REFERENCE_FOLDER, "errors.md"), "utf8"),
    readEvents(),
    readFolder("operations"),
    readFolder("fields"),
    readFolder("examples"),
  ]);
  return {
    overview: overview.trim(),
    errors: parseList(errors),
    operations: new Map(operations.flatMap(({ text }) => parseOperations(text))),
    fields: mergeFields(fields.flatMap(({ text }) => splitSections(text))),
    examples: Object.assign({}, ...examples.map(({ text }) => JSON.parse(text) as Record<string, Example[]>)),
    events,
  };
}

/** The recorded example of each type of events. */
export const EVENT_EXAMPLES_FILE = join(REFERENCE_FOLDER, "event-types.json");

async function readEvents(): Promise<Map<string, EventText>> {
  const [texts, examples] = await Promise.all([
    readFile(join(REFERENCE_FOLDER, "event-types.md"), "utf8"),
    readFile(EVENT_EXAMPLES_FILE, "utf8").catch(() => "{}"),
  ]);
  const recorded: Record<string, unknown> = JSON.parse(examples);
  return new Map([...parseList(texts)].map(([type, text]) => [type, { text, example: recorded[type] }]));
}

/** All guides: the numbered ones, the types of events and the error codes. */
export async function readAllGuides(): Promise<Guide[]> {
  return [...(await readGuides()), await readEventGuide(), await readErrorGuide()];
}

/** The numbered guides in their order: `03-idempotency.md` is the third. */
export async function readGuides(): Promise<Guide[]> {
  return (await readFolder("guides")).map(({ name, text }) => {
    const [, title = "", body = ""] = /^# (.+)\n([\s\S]*)$/.exec(text) ?? [];
    return { id: name.replace(/^\d+-|\.md$/g, ""), title, text: body.trim() };
  });
}

/** The list of the types of events, each as a heading, with its example folded. */
async function readEventGuide(): Promise<Guide> {
  const text = await readFile(join(REFERENCE_FOLDER, "event-types.md"), "utf8");
  const events = await readEvents();
  const listed = text
    .replace(/^# .+\n+/, "")
    .replaceAll(/^- `([^`]+)`: (.+)$/gm, (_, type: string, meaning: string) => {
      const example = JSON.stringify(events.get(type)?.example, null, 2);
      return `### ${type}\n\n${meaning}\n\n<details><summary>Example</summary>\n\n\`\`\`json\n${example}\n\`\`\`\n\n</details>\n`;
    });
  return { id: "event-types", title: "Types of events", text: listed };
}

/** The list of error codes, which the page and the Markdown files have as a guide. */
async function readErrorGuide(): Promise<Guide> {
  const text = await readFile(join(REFERENCE_FOLDER, "errors.md"), "utf8");
  return { id: "errors", title: "Error codes", text: text.replace(/^# .+\n+/, "") };
}

async function readFolder(folder: string): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(join(REFERENCE_FOLDER, folder))).sort();
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(REFERENCE_FOLDER, folder, name), "utf8") })),
  );
}

/** Sections that begin with `## `. */
function splitSections(text: string): { heading: string; body: string }[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf("\n");
      return { heading: section.slice(0, end).trim(), body: section.slice(end + 1).trim() };
    });
}

/** `## posts.create: Create a post (PostCreated)`, then the text. */
function parseOperations(text: string): [string, OperationText][] {
  return splitSections(text).map(({ heading, body }) => {
    const [, id = "", title = "", reply = null] = /^([\w.-]+): (.+?)(?: \((\w+)\))?$/.exec(heading) ?? [];
    return [id, { title, reply, text: body }];
  });
}

/** Lines such as "- `caption`: The text of the post." */
function parseList(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, name = "", meaning = ""]) => [name, meaning]));
}

/** A heading may name several components: `## Post, PostCreated`. */
function mergeFields(sections: { heading: string; body: string }[]): Map<string, Map<string, string>> {
  const fields = new Map<string, Map<string, string>>();
  for (const { heading, body } of sections) {
    for (const component of heading.split(", ")) {
      fields.set(component, new Map([...(fields.get(component) ?? []), ...parseList(body)]));
    }
  }
  return fields;
}
