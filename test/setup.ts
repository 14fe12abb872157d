// Before the tests: one local world in a folder of its own, on embedded servers or on real ones that the environment names.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { compare, promised } from "./answers.ts";
import { startWorld } from "./local/world.ts";

declare module "vitest" {
  interface ProvidedContext {
    vars: Record<string, string>;
    networks: string;
    seen: string;
    fuzzRounds: number;
  }
}

export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), "partner-api-test-"));
  const real = await borrowDatabase(process.env.LOCAL_POSTGRES_URL);
  if (real) process.env.LOCAL_POSTGRES_URL = real.url;
  const world = await startWorld({ folder, fresh: false, say: () => undefined });
  project.provide("vars", world.vars);
  project.provide("networks", world.networks.url);
  const seen = join(folder, "seen");
  project.provide("seen", seen);
  return async () => {
    if (await everythingRan(project)) judge(seen);
    await world.close();
    await real?.giveBack();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Whether every file of the project `node` ran, and none of its tests failed. */
async function everythingRan({ vitest }: TestProject): Promise<boolean> {
  const files = (await vitest.globTestSpecifications()).filter((file) => file.project.name === "node");
  const ran = new Set(vitest.state.getFiles().map((file) => file.filepath));
  return (
    files.length > 0 && files.every((file) => ran.has(file.moduleId)) && vitest.state.getCountOfFailedTests() === 0
  );
}

/** Every refusal that the document promises was provoked, and no other was seen. */
function judge(seen: string): void {
  const { unseen, unpromised } = compare(seen);
  for (const line of unseen) console.error(`promised in openapi.json, provoked by no test: ${line}`);
  for (const line of unpromised) console.error(`provoked by a test, not promised in openapi.json: ${line}`);
  console.log(`${promised().size} refusals promised, ${unseen.length} never provoked, ${unpromised.length} more seen`);
  if (unseen.length + unpromised.length > 0) process.exitCode = 1;
}

/** A database of its own on a real server, so that runs never meet. */
async function borrowDatabase(server: string | undefined) {
  if (!server) return null;
  const name = `partner_test_${randomBytes(6).toString("hex")}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, giveBack: () => run(`drop database ${name} with (force)`) };
}
