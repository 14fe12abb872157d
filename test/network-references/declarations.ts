// Reads the interfaces of a published declaration file (.d.ts) as JSON schemas, so that an SDK is a description of its API.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { JsonSchema } from "./reference.ts";

const PRIMITIVES: Readonly<Record<string, JsonSchema>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  null: { type: "null" },
  any: {},
};

export interface Declarations {
  /** The schema of an interface, with names in the form that the API uses. Throws when there is none. */
  toSchema(name: string): JsonSchema;
}

/** `rename` turns the names of the SDK into those of the API, such as camel case into snake case. */
export function readDeclarations(specifier: string, rename: (name: string) => string): Declarations {
  const path = createRequire(import.meta.url)
    .resolve(specifier)
    .replace(/\.c?js$/, ".d.ts");
  const text = readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  const known = new Map<string, JsonSchema>();

  function toSchema(name: string): JsonSchema {
    const seen = known.get(name);
    if (seen) return seen;
    const [start, parent] = findInterface(name);
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    // Stored before its members are read, because interfaces refer to themselves.
    const schema = { type: "object", properties, required, additionalProperties: false };
    known.set(name, schema);
    if (parent) Object.assign(properties, toSchema(parent).properties);
    for (const { name: member, optional, type } of listMembers(readBlock(text, start))) {
      properties[rename(member)] = toType(type);
      if (!optional) required.push(rename(member));
    }
    return schema;
  }

  function findInterface(name: string): [number, string | undefined] {
    const pattern = new RegExp(`interface ${name.replaceAll("$", "\\$")}(?: extends ([\\w$]+))? \\{`);
    const match = pattern.exec(text);
    if (!match) throw new Error(`${specifier} declares no interface ${name}.`);
    return [match.index + match[0].length, match[1]];
  }

  function toType(type: string): JsonSchema {
    const union = splitAt(type, "|");
    if (union.length > 1) {
      const literals = union.filter((one) => /^".*"$/.test(one)).map((one) => one.slice(1, -1));
      return literals.length === union.length ? { enum: literals } : { anyOf: union.map(toType) };
    }
    const [one = ""] = union;
    const items = /^Array<(.+)>$/s.exec(one)?.[1] ?? /^(.+)\[\]$/s.exec(one)?.[1];
    if (items) return { type: "array", items: toType(items) };
    if (/^".*"$/.test(one)) return { enum: [one.slice(1, -1)] };
    if (PRIMITIVES[one]) return PRIMITIVES[one];
    return new RegExp(`interface ${one.replaceAll("$", "\\$")}[ {]`).test(text) ? toSchema(one) : {};
  }
  return { toSchema };
}

interface Member {
  name: string;
  optional: boolean;
  type: string;
}

function listMembers(block: string): Member[] {
  return splitAt(block, ";").flatMap((line) => {
    const [, quoted, plain, mark, type] = /^(?:'([^']+)'|"[^"]+"|([\w$]+))(\?)?:\s*([\s\S]+)$/.exec(line) ?? [];
    const name = quoted ?? plain;
    return name && type ? [{ name, optional: mark === "?", type }] : [];
  });
}

/** The text of a block whose opening brace ends before `start`. */
function readBlock(text: string, start: number): string {
  let depth = 1;
  let at = start;
  for (; depth > 0; at++) depth += text[at] === "{" ? 1 : text[at] === "}" ? -1 : 0;
  return text.slice(start, at - 1);
}

/** Splits outside of brackets and quotes. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (quote) quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if ("{<([".includes(char)) depth += 1;
    else if ("}>)]".includes(char)) depth -= 1;
    else if (char === separator && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter(Boolean);
}
