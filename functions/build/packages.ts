// Builds .built/s3.js, the part of the S3 packages that the Worker uses, which wrangler.toml puts in their place. In the bundle
// of the Worker they are evaluated late, and of a module that is evaluated late esbuild leaves out nothing.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { editPackages } from "./edit-packages.ts";
import { S3 } from "./package-s3.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".built");

const { outputFiles } = await build({
  stdin: { contents: S3.exports, resolveDir: ROOT },
  bundle: true,
  write: false,
  format: "esm",
  target: "es2024",
  // As wrangler resolves packages.
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["browser", "module", "main"],
  external: ["node:*"],
  // The browser build needs DOMParser, which workerd does not have; the CommonJS build includes an XML parser.
  alias: { "@aws-sdk/xml-builder": join(ROOT, "node_modules/@aws-sdk/xml-builder/dist-cjs/index.js") },
  plugins: [editPackages(S3.edits)],
  logLevel: "warning",
});
await mkdir(FOLDER, { recursive: true });
// In one step, because tests and Workers may read the file meanwhile.
const path = join(FOLDER, "s3.js");
await writeFile(`${path}.${process.pid}`, outputFiles[0]?.contents ?? "");
await rename(`${path}.${process.pid}`, path);
