// The table of which folder may import which; `npm run check` fails on any other import and on every circle.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Every folder may import these: pure helpers, and services outside of the Worker. */
const COMMON = ["lib/shared", "lib/services"];

/** Folder -> folders that it may import, beside itself; `*` stands for COMMON. */
export const FOLDERS: Record<string, readonly string[]> = {
  "lib/shared": [],
  "lib/schemas": ["lib/shared"],
  "lib/services": ["lib/shared"],
  "drizzle/schema": ["lib/shared"],
  "lib/queries": ["*", "lib/schemas", "drizzle/schema"],
  "lib/http": ["*", "lib/queries"],
  "lib/jobs": ["*", "lib/queries"],
  "lib/ai": ["*"],
  "lib/media": ["*"],
  "lib/platforms": ["lib/shared", "lib/schemas", "lib/media"],
  // The networks of test mode and of the local stack. Publishing knows only what a caption forces.
  "lib/simulator": ["lib/shared"],
  "lib/rendering": ["*", "lib/schemas", "lib/queries", "lib/media"],
  "lib/transcription": ["*", "lib/media"],
  "lib/publishing": ["*", "lib/schemas", "lib/queries", "lib/jobs", "lib/media", "lib/platforms", "lib/simulator"],
  "lib/accounts": ["*", "lib/schemas", "lib/queries", "lib/platforms"],
  "lib/pages": ["lib/shared"],
  "lib/oauth": ["*", "lib/queries"],
  "lib/analytics": ["*", "lib/schemas", "lib/queries", "lib/jobs", "lib/platforms", "lib/publishing"],
  "lib/uploads": ["*", "lib/schemas", "lib/queries", "lib/jobs", "lib/media", "lib/publishing"],
  "lib/packs": ["*", "lib/schemas", "lib/queries", "lib/media"],
  "lib/templates": ["*", "lib/schemas", "lib/queries", "lib/rendering"],
  "lib/slideshows": ["*", "lib/schemas", "lib/queries", "lib/ai", "lib/rendering", "lib/templates"],
  "lib/notifications": ["*", "lib/queries", "lib/jobs", "lib/platforms"],
  "lib/folders": ["*", "lib/schemas", "lib/queries"],
  "lib/editor": ["*", "lib/schemas", "lib/queries", "lib/transcription"],
  "lib/events": [
    "*",
    "lib/schemas",
    "lib/queries",
    "lib/jobs",
    "lib/platforms",
    "lib/accounts",
    "lib/analytics",
    "lib/editor",
    "lib/publishing",
    "lib/uploads",
  ],
  "lib/sandbox": [
    ...["*", "lib/schemas", "lib/queries", "lib/simulator"],
    ...["lib/platforms", "lib/publishing", "lib/analytics", "lib/events"],
  ],
  "lib/trends": ["*", "lib/schemas", "lib/queries"],
  "lib/viral-library": ["*", "lib/schemas", "lib/queries", "lib/ai"],
  "functions/rendering": ["lib/rendering", "lib/services"],
  "functions/media": ["lib/media", "lib/transcription"],
  "functions/build": ["lib/rendering", "lib/http", "lib/services", "lib/shared", "functions/mcp"],
  // Pages for people, in front of the same domains and operations as the API.
  "functions/workspace": ["lib/**", "drizzle/schema", "functions"],
  // The Worker of a branch is made of others.
  "functions/preview": ["functions", "functions/workspace", "functions/mcp", "functions/simulator"],
  "functions/simulator": ["lib/simulator", "lib/shared", "lib/services", "lib/queries"],
  // Tools for agents, which are operations of the API.
  "functions/mcp": ["lib/**", "functions"],
  // Run by operators from a shell, never by the platform.
  "functions/commands": ["lib/**", "drizzle/schema"],
  // Endpoints, cron and queue consumers: everything of lib, the tables of the Worker import them.
  functions: ["lib/**"],
};

/** Package -> the files that know it. */
export const PACKAGES: Record<string, readonly string[]> = {
  hono: [
    "lib/http/",
    "lib/pages/",
    "lib/simulator/networks/endpoints.ts",
    "functions/index.ts",
    "functions/meta/",
    "functions/hosted/",
    "functions/workspace/",
  ],
  "@hono/": ["lib/http/"],
  "@modelcontextprotocol/": ["functions/mcp/"],
  "better-auth": ["functions/workspace/"],
  "drizzle-orm": ["lib/queries/", "lib/services/database.ts", "drizzle/", "functions/commands/migrate.ts"],
  "@neondatabase/": ["lib/services/database.ts", "drizzle/"],
  "@upstash/": ["lib/services/redis.ts", "lib/services/redis-client.ts"],
  "@aws-sdk/": ["lib/services/storage.ts"],
};

export type Sources = ReadonlyMap<string, string>;

/** Every import that breaks a rule, one sentence each. `sources`: path from the root -> text. */
export function findViolations(sources: Sources): string[] {
  const graph = new Map([...sources].map(([file, text]) => [file, listImports(file, text)] as const));
  const broken = [...graph].flatMap(([file, imports]) =>
    imports.flatMap((imported) => checkImport(file, imported) ?? []),
  );
  return [...broken, ...findCircles(graph)];
}

function checkImport(file: string, imported: string): string | null {
  if (!imported.includes("/") || !/^(functions|lib|drizzle|test)\//.test(imported)) return checkPackage(file, imported);
  if (file.startsWith("test/")) return null;
  if (imported.startsWith("test/")) return `${file} imports ${imported}: production code imports no tests.`;
  const [from, to] = [getFolder(file), getFolder(imported)];
  if (from === null) return `${file} lies in no folder of the table in test/check/import-rules.ts.`;
  if (from === "functions" && to === "functions") return checkEndpoint(file, imported);
  return from === to || isAllowed(from, imported, to)
    ? null
    : `${file} imports ${imported}: ${from} may not import ${to}.`;
}

function isAllowed(from: string, imported: string, to: string | null): boolean {
  const allowed = (FOLDERS[from] ?? []).flatMap((folder) => (folder === "*" ? COMMON : [folder]));
  return allowed.some((folder) => (folder === "lib/**" ? imported.startsWith("lib/") : folder === to));
}

/** Only the tables of the Worker import endpoints; an endpoint imports no other. */
function checkEndpoint(file: string, imported: string): string | null {
  const isTable = /^functions\/(index|routes|find-operation)\.ts$/.test(file);
  return isTable || imported.endsWith(".json") ? null : `${file} imports ${imported}: no endpoint imports another.`;
}

function checkPackage(file: string, name: string): string | null {
  if (file.startsWith("test/")) return null;
  const rule = Object.entries(PACKAGES).find(
    ([prefix]) => name === prefix || name.startsWith(prefix.replace(/\/?$/, "/")),
  );
  if (!rule || rule[1].some((known) => file.startsWith(known))) return null;
  return `${file} imports ${name}: only ${rule[1].join(", ")} may.`;
}

/** Returns the longest folder of the table that holds the file. */
export function getFolder(file: string): string | null {
  const folders = Object.keys(FOLDERS).filter((folder) => file.startsWith(`${folder}/`));
  return folders.sort((a, b) => b.length - a.length)[0] ?? null;
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

function listImports(file: string, text: string): string[] {
  const names = [...text.matchAll(IMPORT)].map(([, name = ""]) => name.replace(/\?.*$/, ""));
  return names.map((name) => (name.startsWith(".") ? normalize(join(dirname(file), name)) : name));
}

/** Files that import each other in a loop, types included, found by depth-first search. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push(`Circle: ${[...path.slice(at), file].join(" -> ")}`);
    if (at >= 0 || done.has(file) || file.startsWith("test/")) return;
    for (const next of graph.get(file) ?? []) if (graph.has(next)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

function readSources(): Sources {
  const folders = ["functions", "lib", "drizzle", "test"].filter((folder) => existsSync(join(ROOT, folder)));
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  const code = files.filter((file) => /\.tsx?$/.test(file));
  return new Map(code.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

if (import.meta.main) {
  const sources = readSources();
  const violations = findViolations(sources);
  for (const violation of violations) console.error(violation);
  console.log(
    `Import rules: ${sources.size} files, ${Object.keys(FOLDERS).length} folders, ${violations.length} violations.`,
  );
  process.exitCode = violations.length > 0 ? 1 : 0;
}
