// Where the API lives under the host of the Worker.

export const BASE_PATH = "/api/partner/v1";

/** Where the fleet of hosted accounts reports that it has news. */
export const HOSTED_CALLBACK_PATH = `${BASE_PATH}/hosted/callback`;

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** A method and a path below BASE_PATH, its parameters in braces: `GET /posts/{id}`. */
export type RoutePattern = `${Method} /${string}`;

interface Route {
  method: Method;
  path: string;
  /** Of its parameters. */
  names: string[];
  /** As the router takes them. */
  paths: string[];
}

/** `/posts/{id}` also answers to `/posts/`, so that a missing id can be told from an unknown route; any id may be missing. */
export function routeOf(route: RoutePattern): Route {
  const [method, path = ""] = route.split(" ");
  const full = BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ":$1");
  const names = full.match(/:\w+/g) ?? [];
  const paths = names.reduce((found, name) => found.concat(found.map(without(name))), [full]);
  return { method: method as Method, path, names, paths };
}

function without(name: string): (path: string) => string {
  const parameter = new RegExp(`${name}\\b`);
  return (path) => path.replace(parameter, "");
}
