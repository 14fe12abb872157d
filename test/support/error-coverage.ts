// Compares the errors that the tests observe with those that the OpenAPI document lists.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PATH } from "../../lib/shared/paths.ts";

interface Operation {
  operationId: string;
  responses: Record<string, ErrorResponse | { $ref: string }>;
}

interface ErrorResponse {
  content: { "application/json": { schema: { allOf?: [object, { properties: { error_code: { enum: string[] } } }] } } };
}

const { paths, components } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8"),
) as {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, ErrorResponse> };
};

const operations = Object.entries(paths).flatMap(([path, methods]) => {
  const pattern = new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, "[^/]*")}$`);
  return Object.entries(methods).map(([method, operation]) => ({ method, path, pattern, ...operation }));
});
// Literal paths first: `/posts/prepare` is not the post with the id "prepare".
operations.sort((a, b) => a.path.split("{").length - b.path.split("{").length);

/** Every documented error, such as `posts.get 404 not_found`. */
export function listDocumentedErrors(): Set<string> {
  return new Set(
    operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([status, response]) => listErrorCodes(response).map((code) => `${operationId} ${status} ${code}`)),
    ),
  );
}

function listErrorCodes(response: ErrorResponse | { $ref: string }): string[] {
  const own = "$ref" in response ? components.responses[response.$ref.split("/").at(-1) ?? ""] : response;
  return own?.content["application/json"].schema.allOf?.[1]?.properties.error_code.enum ?? [];
}

const recorded = new Set<string>();

/** Appends an error to a file that the test processes share. */
export function recordError(file: string, request: Request, status: number, code: string | undefined): void {
  if (status < 400 || code === "method_not_allowed") return;
  const { pathname } = new URL(request.url);
  const operation = operations.find(
    ({ method, pattern }) => method.toUpperCase() === request.method && pattern.test(pathname),
  );
  const line = `${operation?.operationId} ${status} ${code}`;
  if (!operation || recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(file, `${line}\n`);
}

/** The documented errors that were not observed, and the observed errors that are not documented. */
export function compareErrors(file: string): { unobserved: string[]; undocumented: string[] } {
  const observed = new Set(existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  const all = listDocumentedErrors();
  return {
    unobserved: [...all].filter((line) => !observed.has(line)).toSorted(),
    undocumented: [...observed].filter((line) => !all.has(line)).toSorted(),
  };
}
