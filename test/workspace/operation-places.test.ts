// .github/DASHBOARD.md names the page where a person does what an operation of the API does. Here the table is held against the
// routes, the pages, and the code behind them.
import { globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { routes } from "../../functions/routes.ts";
import { PAGES } from "../../functions/workspace/pages.ts";

const ROOT = join(import.meta.dirname, "../..");
const DASHBOARD = join(ROOT, "functions/workspace");
/** The cell of an operation that only a program needs; the reason follows. */
const PROGRAM = "only for programs:";

interface Row {
  operation: string;
  place: string;
}

/** The rows `| posts.create | /compose | … |`. */
const rows: Row[] = [
  ...readFileSync(join(ROOT, ".github/DASHBOARD.md"), "utf8").matchAll(/^\| `([a-z-]+\.[a-z-]+)` \| (.+?) \|/gm),
].map(([, operation = "", place = ""]) => ({ operation, place }));

/** Operations that the dashboard runs: imported by a page, or called by a script as "METHOD /path". */
function listUsedOperations(): Set<string> {
  const byRoute = new Map(Object.entries(routes).map(([id, { route }]) => [route as string, id]));
  const used = new Set<string>();
  for (const file of globSync("**/*.{ts,tsx}", { cwd: DASHBOARD })) {
    const text = readFileSync(join(DASHBOARD, file), "utf8");
    for (const [, path = ""] of text.matchAll(/from "(\.[^"]+)"/g)) {
      const [folder = "", name = "", ...rest] = relative(
        join(ROOT, "functions"),
        resolve(DASHBOARD, file, "..", path),
      ).split("/");
      const id = `${folder}.${name.replace(/\.ts$/, "")}`;
      if (rest.length === 0 && id in routes) used.add(id);
    }
    for (const [, route = ""] of text.matchAll(/"((?:GET|POST|PATCH|PUT|DELETE) \/[^"]*)"/g)) {
      const id = byRoute.get(route);
      if (id) used.add(id);
    }
  }
  return used;
}

/** `meta` has the pages themselves and the state of the service. */
const operations = Object.keys(routes).filter((id) => !id.startsWith("meta.") && !id.startsWith("hosted."));

test("every operation has one row", () => {
  const listed = rows.map(({ operation }) => operation);
  expect(listed.sort(), "the rows of .github/DASHBOARD.md").toEqual([...operations].sort());
});

test("every place is a page, and its code runs the operation", () => {
  const paths = new Set(PAGES.filter(({ method }) => method === "GET").map(({ path }) => path));
  const used = listUsedOperations();
  const wrong = rows.flatMap(({ operation, place }) => {
    if (place.startsWith(PROGRAM)) return used.has(operation) ? [`${operation} is used by the dashboard`] : [];
    const missing = [...place.matchAll(/`([^`]+)`/g)].filter(([, path = ""]) => !paths.has(path)).map(([path]) => path);
    if (missing.length > 0) return [`${operation}: there is no page ${missing.join(", ")}`];
    // A page may read by the query of the operation, too.
    const reads = routes[operation]?.route.startsWith("GET ");
    return reads || used.has(operation) ? [] : [`${operation}: nothing in functions/workspace runs it`];
  });
  expect(wrong).toEqual([]);
});
