// The facts that every description must state. Their wording is judged in .github/AGENT_TOOLS.md.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { listTools } from "../../functions/mcp/server.ts";
import { at } from "../../lib/shared/at.ts";

const RUBRIC = join(import.meta.dirname, "../../.github/AGENT_TOOLS.md");
const CRITERIA = ["purpose", "use", "behaviour", "parameters", "completeness"];

interface Schema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
}

const tools = await listTools(null);
const names = tools.map(({ name }) => name);
const listArguments = () =>
  tools.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {}).map(
      ([argument, schema]) => [name, argument, schema as Schema] as const,
    ),
  );

test("every argument says what it is; one that counts says its unit or its bounds", () => {
  for (const [tool, argument, { description = "", type, minimum, maximum }] of listArguments()) {
    expect([tool, argument, description]).toEqual([tool, argument, expect.stringMatching(/^.{3,}[.)]$/)]);
    const counts = [type].flat().some((one) => one === "integer" || one === "number");
    const isBounded = minimum !== undefined && maximum !== undefined;
    const hasUnit = /second|byte|per page|per list|slides/i.test(description);
    if (counts) expect([tool, argument, isBounded || hasUnit]).toEqual([tool, argument, true]);
  }
});

test("a tool that is named in a description, or an argument that is promised there, exists", () => {
  const verbs = new Set(names.map((name) => name.split("_")[0]));
  for (const { name, description = "", inputSchema } of tools) {
    const texts = [
      description,
      ...Object.values(inputSchema.properties ?? {}).map((one) => (one as Schema).description),
    ];
    for (const [term] of texts.join(" ").matchAll(/\b[a-z]+(_[a-z]+)+\b/g)) {
      if (verbs.has(term.split("_")[0])) expect([name, names]).toEqual([name, expect.arrayContaining([term])]);
    }
  }
  const analytics = tools.find(({ name }) => name === "get_analytics");
  for (const argument of ["range", "start", "end"]) {
    expect(analytics?.description).toContain(argument);
    expect(Object.keys(analytics?.inputSchema.properties ?? {})).toContain(argument);
  }
});

test("a tool for files says that the server reads no local path, and every tool begins with what it does", () => {
  const local = /cannot read local paths|Not for local paths|after the PUT/;
  for (const name of ["create_upload", "complete_upload", "import_file"]) {
    expect(tools.find((tool) => tool.name === name)?.description).toMatch(local);
  }
  for (const { name, description = "" } of tools) {
    // A verb in the third person, or the place of a step.
    expect([name, at(description.split(" "), 0)]).toEqual([
      name,
      expect.stringMatching(/^[A-Z][a-z]+s$|^First$|^Second$/),
    ]);
  }
});

test("what is public or cannot be undone says so, and asks for the user", () => {
  for (const { name, description = "", annotations } of tools) {
    if (annotations?.destructiveHint && annotations.openWorldHint) {
      expect([name, description]).toEqual([name, expect.stringMatching(/let the user (confirm|decide)/)]);
    }
  }
});

test("all descriptions and schemas together stay under 8,000 tokens", () => {
  const tokens = countTokens(JSON.stringify({ tools }));
  process.stdout.write(`tools/list: ${tokens} tokens\n`);
  expect(tokens).toBeLessThan(7_950);
});

test("the rubric has a row for every tool, from 1 to 5 for every criterion", async () => {
  const rows = (await readFile(RUBRIC, "utf8")).split("\n").filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => /`(\w+)`/.exec(row)?.[1])).toEqual(names);
  for (const row of rows) {
    const points = row
      .split("|")
      .slice(2, 2 + CRITERIA.length)
      .map(Number);
    expect(points.every((point) => point >= 1 && point <= 5)).toBe(true);
  }
});
