// Route patterns of endpoints, and the paths that the router matches for them.
import { BASE_PATH } from "../shared/paths.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A method and a path below BASE_PATH, parameters in braces: `GET /posts/{id}`. */
export type RoutePattern = `${Method} /${string}`;

interface Route {
  method: Method;
  path: string;
  isLiteral: boolean;
  /** The path to match, in the router's syntax. */
  routerPath: string;
}

/** A parameter may be empty: `/posts/` is `/posts/{id}`, so that a missing id is reported as such and not as an unknown route. */
export function parseRoute(route: RoutePattern): Route {
  const [method, path = ""] = route.split(" ");
  const routerPath = BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ":$1{[^/]*}");
  return { method: method as Method, path, isLiteral: !path.includes("{"), routerPath };
}
