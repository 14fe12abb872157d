// `pure` needs nothing but the code, `node` the local stack and `workerd` the runtime of the Worker: all three are `npm test`. `scale`
// has large tables and many media files, `e2e` real Workers, `faults` failures of publishing, `fuzz` more damaged ones, `pds` a Bluesky server.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { unstable_readConfig as readConfig } from "wrangler";

const ROOT = join(import.meta.dirname, "..");
const LOCAL_STACK = join(ROOT, "test/local/");
const { alias: ALIASES = {} } = readConfig({ config: join(ROOT, "wrangler.toml") });
const FONTS = join(ROOT, ".fonts");
const PURE = "test/**/*.pure.test.ts";
const FUZZ = "test/media/fuzz.test.ts";
/** Files of a group start when those of the group before have ended. */
const AFTER_PURE = { groupOrder: 1 };
/** Hundreds of media files beside ffmpeg and ImageMagick. */
const MEDIA_FILES = [FUZZ, "test/media/corpus.test.ts"];
/** On the shared machines of CI a test may run out of time; retried-tests.ts names those that passed when repeated. */
const RETRY = process.env.CI ? 1 : 0;
/** What a test waits for comes late on a busy machine; a second is what `expect.poll` grants otherwise. */
const EXPECT = { poll: { timeout: 30_000 } };

/** The packages as the Worker has them; the local stack has whole ones. */
const builtPackages: Plugin = {
  name: "built-packages",
  enforce: "pre",
  resolveId: (source, importer) =>
    source in ALIASES && !importer?.startsWith(LOCAL_STACK) ? join(ROOT, ALIASES[source] ?? "") : null,
};

/** `npm test` runs these, `npm test -- --project faults` another one instead. */
const DEFAULT_PROJECTS = ["pure", "node", "workerd"];
const isProjectChosen = process.argv.some((argument) => argument.startsWith("--project"));

export default defineConfig({
  root: ROOT,
  test: {
    silent: "passed-only",
    reporters: ["default", "./test/support/retried-tests.ts"],
    // One local stack for `node` and `workerd`; a setup file of `workerd` would be resolved as code of the Worker.
    globalSetup: "test/support/setup.ts",
    // More than there are cores, because workers wait for timers and for the processes that they start.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          name: "pure",
          retry: RETRY,
          include: [PURE],
          isolate: false,
          setupFiles: ["test/support/wasm.ts", "test/support/pure.ts"],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [builtPackages],
        test: {
          name: "node",
          retry: RETRY,
          expect: EXPECT,
          sequence: AFTER_PURE,
          include: ["test/**/*.test.ts"],
          exclude: [
            PURE,
            "test/workerd/**",
            "test/faults/**",
            "test/pds/**",
            "test/scale/**",
            "test/e2e/**",
            ...MEDIA_FILES,
          ],
          isolate: false,
          setupFiles: [
            "test/support/wasm.ts",
            "test/support/worker-database.ts",
            "test/support/check-globals.ts",
            "test/support/record-errors.ts",
            "test/support/record-mismatches.ts",
          ],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "scale",
          retry: RETRY,
          include: ["test/scale/**/*.test.ts", ...MEDIA_FILES],
          setupFiles: ["test/support/wasm.ts"],
          provide: { fuzzRounds: 45 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          retry: RETRY,
          expect: EXPECT,
          include: ["test/e2e/**/*.test.ts"],
          setupFiles: ["test/support/record-mismatches.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "fuzz",
          include: [FUZZ],
          setupFiles: ["test/support/wasm.ts"],
          provide: { fuzzRounds: 1000 },
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "faults",
          retry: RETRY,
          include: ["test/faults/**/*.test.ts"],
          setupFiles: ["test/support/wasm.ts", "test/support/record-mismatches.ts"],
        },
      },
      {
        test: {
          name: "pds",
          globalSetup: "test/pds/install.ts",
          include: ["test/pds/**/*.test.ts"],
          // The files share one installation.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        plugins: [
          // The plugin of Cloudflare ignores the aliases of wrangler.toml.
          builtPackages,
          cloudflareTest({
            main: join(ROOT, "functions/index.ts"),
            // Previews have the static files themselves; in production they are another Worker.
            wrangler: { configPath: join(ROOT, "wrangler.toml"), environment: "preview" },
            // The rendering Worker is not bound; its test calls it directly, with the fonts of its deployment.
            miniflare: {
              serviceBindings: {
                DRAW: () => new Response(null, { status: 503 }),
                MEDIA: () => new Response(null, { status: 503 }),
                WORKSPACE: () => new Response(null, { status: 503 }),
                MCP: () => new Response(null, { status: 503 }),
                FONTS: { disk: { path: FONTS } },
              },
              // Its local version is sharp's, which resizes, crops and rotates.
              images: { binding: "IMAGES" },
            },
          }),
        ],
        test: {
          name: "workerd",
          retry: RETRY,
          expect: EXPECT,
          sequence: AFTER_PURE,
          include: ["test/workerd/**/*.test.ts"],
          isolate: false,
          testTimeout: 120_000,
          // Pre-bundled: Vite resolves mediabunny's browser build incorrectly.
          deps: { optimizer: { ssr: { enabled: true, include: ["mediabunny"] } } },
        },
      },
    ].filter(({ test }) => isProjectChosen || DEFAULT_PROJECTS.includes(test.name)),
  },
});
