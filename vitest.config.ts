// Three projects: `node` runs everything against the local world, `faults` strikes the publisher there in every way, and
// `workerd` runs the Worker itself inside its runtime.
import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const XML_BUILDER = join(import.meta.dirname, "node_modules/@aws-sdk/xml-builder/dist-cjs/index.js");

export default defineConfig({
  test: {
    silent: "passed-only",
    // One local world for `node` and `workerd`; a setup of the latter's own would be resolved as a Worker's code.
    globalSetup: "test/setup.ts",
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workerd/**", "test/faults/**"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: "faults", include: ["test/faults/**/*.test.ts"] },
      },
      {
        plugins: [
          cloudflareTest({
            main: "./functions/index.ts",
            wrangler: { configPath: "./wrangler.toml" },
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
