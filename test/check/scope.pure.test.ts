// One predicate says what a caller may see: queries compare the tenant of a row with that of the caller in no other way.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const QUERIES = join(import.meta.dirname, "../../lib/queries");
/** `eq(posts.scopeId, scope.id)`, and the same in a statement. */
const COMPARISON = /scopeId, scope\.id\)|scopeId\} = \$\{scope\.id\}/g;

test("queries separate tenants by inScope", () => {
  const files = globSync("*.ts", { cwd: QUERIES }).flatMap((file) =>
    [...readFileSync(join(QUERIES, file), "utf8").matchAll(COMPARISON)].map(() => file),
  );
  // Public packs and templates of others, and the number of all webhooks of a workspace.
  expect(files.sort(), "compare by inScope of lib/queries/scope.ts").toEqual([
    "packs.ts",
    "templates.ts",
    "webhooks.ts",
  ]);
});
