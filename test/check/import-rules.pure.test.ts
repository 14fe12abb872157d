// Each import rule is broken once, and reported.
import { describe, expect, test } from "vitest";
import { FOLDERS, findViolations, getFolder, PACKAGES } from "./import-rules.ts";

const folders = Object.keys(FOLDERS);
const check = (files: Record<string, string>) => findViolations(new Map(Object.entries(files)));

/** A file of one folder that imports a file of another. */
function checkImport(from: string, to: string): string[] {
  const path = `${"../".repeat(from.split("/").length)}${to}/imported.ts`;
  return check({ [`${from}/importing.ts`]: `import { x } from "${path}";`, [`${to}/imported.ts`]: "" });
}

describe("folders", () => {
  test.each(folders)("%s may import only what the table lists", (from) => {
    for (const to of folders.filter((folder) => folder !== from)) {
      const rule = FOLDERS[from] ?? [];
      const common = rule.includes("*") && ["lib/shared", "lib/services"].includes(to);
      const allowed = common || rule.includes(to) || (rule.includes("lib/**") && to.startsWith("lib/"));
      expect([from, to, checkImport(from, to).length]).toEqual([from, to, allowed ? 0 : 1]);
    }
  });

  test("a dynamic import and a type import count", () => {
    const target = { "lib/queries/posts.ts": "" };
    expect(check({ ...target, "lib/schemas/a.ts": 'await import("../queries/posts.ts");' })).toHaveLength(1);
    expect(check({ ...target, "lib/schemas/a.ts": 'import type { Post } from "../queries/posts.ts";' })).toHaveLength(
      1,
    );
  });

  test("no endpoint imports another, and the tables import all", () => {
    const endpoint = { "functions/posts/get.ts": "" };
    expect(check({ ...endpoint, "functions/posts/list.ts": 'import get from "./get.ts";' })).toHaveLength(1);
    expect(check({ ...endpoint, "functions/routes.ts": 'import("./posts/get.ts")' })).toEqual([]);
  });

  test("production code imports no tests", () => {
    expect(check({ "lib/shared/a.ts": 'import "../../test/support/harness.ts";' })).toHaveLength(1);
  });

  test("a folder that the table does not list", () => {
    expect(check({ "lib/other/a.ts": 'import "../shared/b.ts";', "lib/shared/b.ts": "" })).toHaveLength(1);
    expect(getFolder("functions/rendering/worker.ts")).toBe("functions/rendering");
  });
});

describe("packages", () => {
  test.each(Object.entries(PACKAGES))("%s is known to %j alone", (name, files) => {
    const source = `import x from "${name.endsWith("/") ? `${name}x` : name}";`;
    const known = files[0]?.endsWith("/") ? `${files[0]}a.ts` : (files[0] ?? "");
    expect(check({ [known]: source })).toEqual([]);
    expect(check({ "lib/folders/a.ts": source })).toHaveLength(1);
    expect(check({ "test/posts/a.ts": source })).toEqual([]);
  });
});

test("a circle of files", () => {
  const [a, b] = ['import "./b.ts";', 'import type { A } from "./a.ts";'];
  expect(check({ "lib/shared/a.ts": a, "lib/shared/b.ts": b })).toEqual([
    "Circle: lib/shared/a.ts -> lib/shared/b.ts -> lib/shared/a.ts",
  ]);
});
