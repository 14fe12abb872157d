// The table of contents: every endpoint of the service, sorted by its id. A module is evaluated when its first request comes.
import type { Endpoint } from "../lib/endpoint.ts";
import type { RoutePattern } from "../lib/paths.ts";

interface Route {
  route: RoutePattern;
  load(): Promise<{ default: Endpoint }>;
}

export const routes: Record<string, Route> = {
  "accounts.list": { route: "GET /accounts", load: () => import("./accounts/list.ts") },
  "files.finalize": { route: "POST /files/{fileId}/finalize", load: () => import("./files/finalize.ts") },
  "files.start": { route: "POST /files", load: () => import("./files/start.ts") },
  "posts.commit": { route: "POST /posts/{postId}/commit", load: () => import("./posts/commit.ts") },
  "posts.create": { route: "POST /posts", load: () => import("./posts/create.ts") },
  "posts.delete": { route: "POST /posts/delete", load: () => import("./posts/delete.ts") },
  "posts.get": { route: "GET /posts/{postId}", load: () => import("./posts/get.ts") },
  "posts.list": { route: "GET /posts", load: () => import("./posts/list.ts") },
  "posts.prepare": { route: "POST /posts/prepare", load: () => import("./posts/prepare.ts") },
  "posts.retry": { route: "POST /posts/retry", load: () => import("./posts/retry.ts") },
  "posts.update": { route: "PATCH /posts/{postId}", load: () => import("./posts/update.ts") },
};

/** Every endpoint itself, for what looks at all of them: the OpenAPI document and the tests. */
export async function loadAll(): Promise<Endpoint[]> {
  const modules = await Promise.all(Object.values(routes).map(({ load }) => load()));
  return modules.map((module) => module.default);
}
