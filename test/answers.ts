// Which answers the tests saw of each operation, held against what the OpenAPI document promises.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PATH } from "../lib/paths.ts";

interface Operation {
  operationId: string;
  responses: Record<string, { description: string }>;
}

const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, "../functions/openapi.json"), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};

const operations = Object.entries(paths).flatMap(([path, methods]) => {
  const pattern = new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, "[^/]*")}$`);
  return Object.entries(methods).map(([method, operation]) => ({ method, path, pattern, ...operation }));
});
// `/posts/prepare` is no post whose id is "prepare".
operations.sort((a, b) => a.path.split("{").length - b.path.split("{").length);

/** `posts.get 404 not_found`, of every refusal that the document promises. */
export function promised(): Set<string> {
  return new Set(
    operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([status, { description }]) =>
          [...description.matchAll(/`(\w+)`/g)].map(([, code]) => `${operationId} ${status} ${code}`),
        ),
    ),
  );
}

const noted = new Set<string>();

/** Notes a refusal in a file that the test processes share. */
export function note(file: string, request: Request, status: number, code: string | undefined): void {
  if (status < 400 || code === "method_not_allowed") return;
  const { pathname } = new URL(request.url);
  const operation = operations.find(
    ({ method, pattern }) => method.toUpperCase() === request.method && pattern.test(pathname),
  );
  const line = `${operation?.operationId} ${status} ${code}`;
  if (!operation || noted.has(line)) return;
  noted.add(line);
  appendFileSync(file, `${line}\n`);
}

/** What was promised and never seen, and what was seen and never promised. */
export function compare(file: string): { unseen: string[]; unpromised: string[] } {
  const seen = new Set(existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  const all = promised();
  return {
    unseen: [...all].filter((line) => !seen.has(line)).toSorted(),
    unpromised: [...seen].filter((line) => !all.has(line)).toSorted(),
  };
}
