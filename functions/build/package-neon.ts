// The HTTP client of @neondatabase/serverless, without its WebSocket client: 18 of 46 KiB gzip.
import { findName, type PackageSource } from "./edit-packages.ts";

/** What lib/services/database.ts and Drizzle's driver import. */
const NAMES = ["NeonDbError", "NeonQueryPromise", "neon", "neonConfig"];

export const NEON: PackageSource = {
  exports: `export { ${NAMES}, types } from "@neondatabase/serverless";`,
  edits: { "@neondatabase/serverless/index.mjs": keepHttpClient },
};

/** The package is one minified file. In it `T` and `V` declare a module, `we` imports one and `a` names a function. */
function keepHttpClient(source: string): string {
  const exported = NAMES.map((name) => `${findName(source, new RegExp(`\\b(\\w+) as\\s${name}\\b`, "g"))} as ${name}`);
  const types = findName(source, /\.types=(\w+)\(\)/g);
  const buffer = findName(source, /:(\w+\(\)\.Buffer),/g);
  const end = findName(source, /(\w+\(\w+,"getAuthToken"\);)/g);
  const http = source
    .slice(0, source.indexOf(end))
    // workerd has the Buffer of Node.
    .replace(buffer, "undefined")
    .replaceAll(/=(?=(?:T|V|we)\()/g, "=/* @__PURE__ */")
    .replaceAll(/(?<=[;}])(?=a\()/g, "/* @__PURE__ */");
  return `${http}export { ${exported} }; export const types = ${types}();`;
}
