// The endpoint that CONTRIBUTING.md shows is the code of the file that it names, with comments.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
const toCode = (text: string) =>
  text
    .replaceAll(/\/\/.*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();

test("the example of an endpoint is its file", () => {
  const [, path = "", example = ""] =
    /```ts\n\/\/ (functions\S+)\n([^`]*)```/.exec(read(".github/CONTRIBUTING.md")) ?? [];
  expect(toCode(read(path))).toContain(toCode(example));
  expect(example).toContain("endpoint(");
});
