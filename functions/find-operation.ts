// Finds the endpoint of a method and a path, as the router of the API does: literal paths come first.
import { parseRoute } from "../lib/http/route-path.ts";
import { routes } from "./routes.ts";

const patterns = Object.values(routes)
  .map(({ route, load }) => {
    const { method, path, isLiteral } = parseRoute(route);
    return { method, load, isLiteral, pattern: toPattern(path) };
  })
  .sort((a, b) => Number(b.isLiteral) - Number(a.isLiteral));

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]*")}$`);
}

export function findOperation(method: string, path: string) {
  const wanted = method === "HEAD" ? "GET" : method;
  return patterns.find((one) => one.method === wanted && one.pattern.test(path))?.load ?? null;
}
