// The configurations that `npm run deploy` and `npm run preview` send to Cloudflare.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";

interface Producer {
  binding: string;
  queue: string;
}

const ROOT = join(import.meta.dirname, "../..");
const scripts: Record<string, string> = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;

const read = (config: string, env?: string) => readConfig({ config: join(ROOT, config), env }, { hideWarnings: true });

const getBinding = ({ binding }: { binding: string }) => binding;

/** The configurations of `-c` flags, in their order. */
const listConfigs = (script = "") => [...script.matchAll(/-c (\S+)/g)].map(([, path = ""]) => path);

test("every Worker that the API is bound to is deployed before the API, and runs in `npm run dev`", () => {
  const bound: string[] = read("wrangler.toml").services.map(({ service }: { service: string }) => service);
  const getNames = (script: string | undefined) => listConfigs(script).map((path) => read(path).name);
  expect(getNames(scripts.deploy).toSorted()).toEqual(bound.toSorted());
  // The API is the last Worker; its changes are announced once it is deployed.
  expect(scripts.deploy).toMatch(/&& wrangler deploy --env="" && node functions\/commands\/announce-api.ts$/);
  expect(getNames(scripts.dev)).toEqual(["partner-api", ...getNames(scripts.deploy)]);
});

test("an endpoint that is deployed alone is bound to what the API is bound to, except pages and tools", () => {
  const getBindings = (env?: string) => read("wrangler.toml", env).services.map(getBinding);
  expect([...getBindings("solo"), "WORKSPACE", "MCP"].toSorted()).toEqual(getBindings().toSorted());
});

test("the API has no static files of its own, so that no request passes through the router of static files", () => {
  expect(read("wrangler.toml").assets).toBeUndefined();
});

test("a preview is one of the API, with the static files of its branch and queues that no consumer of production reads", () => {
  expect(scripts.preview).toMatch(/wrangler preview --env preview --worker-name partner-api$/);
  const production = read("wrangler.toml");
  const { name, assets, build, previews, queues, triggers } = read("wrangler.toml", "preview");
  expect([queues.consumers ?? [], triggers.crons]).toEqual([[], []]);
  // `wrangler deploy --env preview` would otherwise replace the API.
  expect([production.name, name]).toEqual(["partner-api", "partner-api-preview"]);
  expect(assets).toMatchObject({ binding: "ASSETS", run_worker_first: true });
  expect(build.command).toContain(production.build.command);
  expect(build.command).toContain(read("functions/assets/wrangler.toml").build.command);
  expect(previews?.vars).toEqual({ ENVIRONMENT: "preview" });
  const consumed = production.queues.consumers?.map(({ queue }: { queue: string }) => queue);
  const produced: Producer[] = previews?.queues?.producers ?? [];
  expect(produced.map(getBinding)).toEqual(production.queues.producers?.map(getBinding));
  for (const { queue } of produced) expect(consumed).not.toContain(queue);
});
