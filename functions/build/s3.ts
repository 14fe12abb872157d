// Builds .built/s3.js, the part of the S3 packages that the Worker uses, which wrangler.toml puts in their place. In the bundle
// of the Worker they are evaluated late, and of a module that is evaluated late esbuild leaves out nothing: 4.4 KiB gzip.
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");

await build({
  entryPoints: [join(import.meta.dirname, "s3-entry.ts")],
  outfile: join(ROOT, ".built/s3.js"),
  bundle: true,
  format: "esm",
  target: "es2024",
  // As wrangler resolves packages.
  conditions: ["workerd", "worker", "browser"],
  mainFields: ["browser", "module", "main"],
  external: ["node:*"],
  // The browser build needs DOMParser, which workerd does not have; the CommonJS build includes an XML parser.
  alias: { "@aws-sdk/xml-builder": join(ROOT, "node_modules/@aws-sdk/xml-builder/dist-cjs/index.js") },
  logLevel: "warning",
});
