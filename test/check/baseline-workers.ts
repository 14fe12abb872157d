// Baselines for the bundle check: an empty Worker, a bare Hono, and Hono with the drivers that the service uses.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The libraries that any service on Hono, Postgres, Redis and S3 needs. */
const DRIVERS = /^(hono|@neondatabase\/.+|@upstash\/.+|@aws-sdk\/.+|drizzle-orm(\/.+)?)$/;

const IMPORT = /^import \{([^}]+)\} from "([^".][^"]*)";/gms;

export const EMPTY_WORKER = `export default { fetch: () => new Response("ok") };\n`;

export const BARE_HONO = `import { Hono } from "hono";
const app = new Hono();
app.get("/", (c) => c.json({ ok: true }));
export default app;
`;

/** Imports exactly the names that the service imports from its drivers and uses each, which prevents tree shaking. */
export function generateHonoWithDrivers(): string {
  const taken = new Map<string, Set<string>>();
  const zod = new Set<string>();
  for (const file of globSync(["lib/**/*.ts", "functions/**/*.ts", "drizzle/schema/*.ts"], { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, file), "utf8");
    for (const [, names = "", from = ""] of source.matchAll(IMPORT)) {
      if (!DRIVERS.test(from)) continue;
      const known = taken.get(from) ?? new Set();
      for (const name of parseImportedValues(names)) known.add(name);
      taken.set(from, known);
    }
    if (source.includes('from "zod"')) for (const [, name = ""] of source.matchAll(/\bz\.([a-z]\w*)\(/g)) zod.add(name);
  }
  taken.get("hono")?.delete("Hono");
  const drivers = [...taken].sort().map(([from, names], at) => ({ from, names: [...names].sort(), alias: `d${at}` }));
  const mentioned = drivers.flatMap(({ names, alias }) => names.map((name) => `${alias}.${name}`));
  return `import { Hono } from "hono";
import * as z from "zod";
${drivers.map(({ from, alias }) => `import * as ${alias} from "${from}";`).join("\n")}
const drivers = [${[...mentioned, ...[...zod].sort().map((name) => `z.${name}`)].join(", ")}];
const app = new Hono();
app.get("/", (c) => c.json({ drivers: drivers.length }));
export default app;
`;
}

function parseImportedValues(names: string): string[] {
  const each = names.split(",").map((name) => name.trim());
  return each.filter((name) => name !== "" && !name.startsWith("type ")).map((name) => name.split(" as ")[0] ?? name);
}
