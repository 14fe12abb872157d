// Four projects: `node` runs everything against the local world, `faults` strikes the publisher there in every way, `fuzz`
// damages a thousand files of each kind, and `workerd` runs the Worker itself inside its runtime.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const XML_BUILDER = join(import.meta.dirname, "node_modules/@aws-sdk/xml-builder/dist-cjs/index.js");
const FONTS = join(import.meta.dirname, ".fonts");

export default defineConfig({
  test: {
    silent: "passed-only",
    // One local world for `node` and `workerd`; a setup of the latter's own would be resolved as a Worker's code.
    globalSetup: "test/setup.ts",
    // Beside the process that holds that world; by itself vitest would leave two cores one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workerd/**", "test/faults/**"],
          setupFiles: ["test/wasm.ts", "test/noting.ts"],
          provide: { fuzzRounds: 45 },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "fuzz",
          include: ["test/media/fuzz.test.ts"],
          setupFiles: ["test/wasm.ts"],
          provide: { fuzzRounds: 1000 },
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: "faults", include: ["test/faults/**/*.test.ts"], setupFiles: ["test/wasm.ts"] },
      },
      {
        plugins: [
          cloudflareTest({
            main: "./functions/index.ts",
            wrangler: { configPath: "./wrangler.toml" },
            // The drawing Worker is not there; a test of it runs it itself, with the fonts that its deployment uploads.
            miniflare: {
              serviceBindings: {
                DRAW: () => new Response(null, { status: 503 }),
                MEDIA: () => new Response(null, { status: 503 }),
                FONTS: { disk: { path: FONTS } },
              },
            },
          }),
        ],
        // As in wrangler.toml, whose aliases the plugin does not take over.
        resolve: { alias: { "@aws-sdk/xml-builder": XML_BUILDER } },
        test: {
          name: "workerd",
          include: ["test/workerd/**/*.test.ts"],
          testTimeout: 30_000,
          // Bundled first: Vite takes mediabunny's browser build apart wrongly, and the SDK's hundreds of files slowly.
          deps: { optimizer: { ssr: { enabled: true, include: ["mediabunny", "@aws-sdk/client-s3"] } } },
        },
      },
    ],
  },
});
