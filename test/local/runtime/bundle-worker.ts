// The bundle of a Worker, with the options of `wrangler deploy`, which takes seconds of CPU to load: one process builds them all.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

/** The part of the configuration of a Worker that its bundle depends on. */
export interface BundleConfig {
  /** The entry, as an absolute path. */
  main: string;
  /** The folder of the configuration, from which aliases are resolved. */
  root: string;
  alias: Readonly<Record<string, string>>;
  minify: boolean;
  keepNames: boolean;
}

/**
 * Writes the modules of the Worker into the folder. The options are those of bundleWorker in wrangler 4.164, without source maps,
 * which the runtime does not read; test/e2e/built-workers.test.ts compares the result with wrangler's.
 */
export async function bundleWorker(
  { main, root, alias, minify, keepNames }: BundleConfig,
  folder: string,
): Promise<void> {
  // Not emptied: another process of this checkout may read it, or build the same files.
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [main],
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    minify,
    keepNames,
    format: "esm",
    target: "es2024",
    supported: { "import-source": true, using: true },
    conditions: ["workerd", "worker", "browser"],
    define: {
      "navigator.userAgent": '"Cloudflare-Workers"',
      "process.env.NODE_ENV": '"production"',
      "global.process.env.NODE_ENV": '"production"',
      "globalThis.process.env.NODE_ENV": '"production"',
    },
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
    external: ["__STATIC_CONTENT_MANIFEST", "cloudflare:*"],
    plugins: [replaceModules(alias, root), collectModules(folder), keepBuiltins],
    logLevel: "error",
  });
}

function replaceModules(alias: BundleConfig["alias"], root: string): Plugin {
  return {
    name: "alias",
    setup(build) {
      build.onResolve({ filter: /^@/ }, ({ path }) => {
        const replacement = alias[path];
        return replacement === undefined ? null : { path: resolve(root, replacement) };
      });
    },
  };
}

/** Modules that are not scripts become files beside the bundle, under the names that wrangler gives them. */
function collectModules(folder: string): Plugin {
  return {
    name: "modules",
    setup(build) {
      build.onResolve({ filter: /\.(wasm|wasm\?module|txt|html|sql|bin)$/ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === "resolved") return null;
        const { importer, kind, resolveDir } = from;
        const options = { importer, kind, resolveDir, pluginData: "resolved" };
        const found = await build.resolve(path.replace(/\?.*$/, ""), options);
        const file = found.path || join(resolveDir, path);
        const content = await readFile(file);
        const name = `${createHash("sha1").update(content).digest("hex")}-${basename(file)}`;
        await writeFile(join(folder, name), content);
        return { path: `./${name}`, external: true };
      });
    },
  };
}

const REQUIRED_BUILTIN = "node-built-in-modules";

/** The runtime has the modules of Node.js; one that a CommonJS module requires is imported by a module of its own. */
const keepBuiltins: Plugin = {
  name: "builtins",
  setup(build) {
    build.onResolve({ filter: /^[a-z:_/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return null;
      return kind === "require-call" ? { path, namespace: REQUIRED_BUILTIN } : { path, external: true };
    });
    build.onLoad({ filter: /.*/, namespace: REQUIRED_BUILTIN }, ({ path }) => ({
      contents: `import libDefault from '${path}';\nmodule.exports = libDefault;`,
      loader: "js",
    }));
  },
};
