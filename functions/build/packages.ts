// Builds .built/s3.js, the part of the S3 packages that lib/services/storage.ts imports, which wrangler.toml puts in their place.
// Wrangler's esbuild makes the Worker 27 KiB gzip larger, and its start-up 10 % slower: it keeps the schemas of all commands,
// because their keys are constants.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".built");
const ENTRY = join(ROOT, "s3-packages");

const bundle = await rolldown({
  input: ENTRY,
  platform: "browser",
  external: /^node:/,
  resolve: {
    // As wrangler resolves packages.
    conditionNames: ["workerd", "worker", "browser", "import"],
    mainFields: ["browser", "module", "main"],
    // The browser build needs DOMParser, which workerd does not have; the CommonJS build includes an XML parser.
    alias: { "@aws-sdk/xml-builder": join(ROOT, "node_modules/@aws-sdk/xml-builder/dist-cjs/index.js") },
  },
  plugins: [{ name: "entry", resolveId: resolveEntry, load: loadEntry }],
});
const { output } = await bundle.generate({ format: "esm" });
await mkdir(FOLDER, { recursive: true });
// In one step, because tests and Workers may read the file meanwhile.
const path = join(FOLDER, "s3.js");
await writeFile(`${path}.${process.pid}`, output[0].code);
await rename(`${path}.${process.pid}`, path);

function resolveEntry(source: string): string | null {
  return source === ENTRY ? ENTRY : null;
}

/** The entry exports what lib/services/storage.ts imports of the SDK. */
async function loadEntry(id: string): Promise<string | null> {
  if (id !== ENTRY) return null;
  const source = await readFile(join(ROOT, "lib/services/storage.ts"), "utf8");
  const imports = source.match(/^import \{[^}]*\} from "@aws-sdk\/.*";$/gm) ?? [];
  return imports.map((text) => text.replace(/^import/, "export")).join("\n");
}
