// Route patterns of endpoints, and the paths that the router matches for them.
import { BASE_PATH } from "../shared/paths.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** A method and a path below BASE_PATH, parameters in braces: `GET /posts/{id}`. */
export type RoutePattern = `${Method} /${string}`;

interface Route {
  method: Method;
  path: string;
  paramNames: string[];
  /** The paths to match, in the router's syntax. */
  paths: string[];
}

/** Matches `/posts/` beside `/posts/{id}`, so that a missing id is reported as such and not as an unknown route. */
export function parseRoute(route: RoutePattern): Route {
  const [method, path = ""] = route.split(" ");
  const full = BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ":$1");
  const names = full.match(/:\w+/g) ?? [];
  const paths = names.reduce((found, name) => found.concat(found.map(removeParam(name))), [full]);
  return { method: method as Method, path, paramNames: names, paths };
}

function removeParam(name: string): (path: string) => string {
  const parameter = new RegExp(`${name}\\b`);
  return (path) => path.replace(parameter, "");
}
