// Global setup: starts one local stack in a temporary folder, with embedded or externally configured servers.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { createCallCounter } from "../local/call-counter.ts";
import { startDatabase } from "../local/database.ts";
import { buildWorkers } from "../local/runtime/build-workers.ts";
import { startLocalStack } from "../local/stack.ts";
import { copyTemplate } from "../local/template/database-template.ts";
import { takeMismatches, takeRequests } from "../network-references/check.ts";
import { formatTable } from "../network-references/table.ts";
import { compareErrors, listDocumentedErrors } from "./error-coverage.ts";

declare module "vitest" {
  interface ProvidedContext {
    vars: Record<string, string>;
    /** The address of a database on a real server, which all workers share; null for embedded ones. */
    databaseServer: string | null;
    networks: string;
    receiver: string;
    pages: string;
    /** The file of a migrated database, from which separate-database.ts starts others. */
    databaseTemplate: string;
    /** The file that record-errors.ts appends to. */
    observedErrorsFile: string;
    /** The file that record-mismatches.ts appends to. */
    comparedRequestsFile: string;
    fuzzRounds: number;
  }
}

export default async function setup(project: TestProject) {
  // Pure tests need no local stack: one that asks for it finds none.
  if (project.vitest.projects.every(({ name }) => name === "pure")) return;
  for (const script of ["packages", "assets", "fonts"]) {
    const path = join(import.meta.dirname, `../../functions/build/${script}.ts`);
    execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", path], { stdio: "inherit" });
  }
  // Once, before the processes of the test files find that they have to.
  if (project.vitest.projects.some(({ name }) => name === "e2e")) await buildWorkers();
  const folder = await mkdtemp(join(tmpdir(), "partner-api-test-"));
  const temporary = await createTemporaryDatabase(process.env.LOCAL_POSTGRES_URL);
  if (temporary) process.env.LOCAL_POSTGRES_URL = temporary.url;
  project.provide("databaseServer", temporary?.url ?? null);
  const temporaryRedis = await claimEmptyRedis(process.env.LOCAL_REDIS_URL);
  if (temporaryRedis) process.env.LOCAL_REDIS_URL = temporaryRedis.url;
  // Commands that tests run start in two thirds of the time: compiled code and TypeScript without types are kept.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/compiled");
  const template = await dumpTemplate(folder);
  const databaseTemplate = join(folder, "database-template");
  await writeFile(databaseTemplate, template.stream());
  project.provide("databaseTemplate", databaseTemplate);
  const stack = await startLocalStack({ folder, fresh: false, log: () => undefined, template });
  project.provide("vars", stack.vars);
  project.provide("networks", stack.networks.url);
  project.provide("receiver", stack.receiver.url);
  project.provide("pages", stack.pages.url);
  const observedErrorsFile = join(folder, "observed-errors");
  project.provide("observedErrorsFile", observedErrorsFile);
  const comparedRequestsFile = join(folder, "compared-requests");
  project.provide("comparedRequestsFile", comparedRequestsFile);
  return async () => {
    reportReferences(comparedRequestsFile);
    reportErrors(observedErrorsFile, await allTestsPassed(project));
    await stack.close();
    await temporary?.drop();
    await temporaryRedis?.release();
    await rm(folder, { recursive: true, force: true });
  };
}

/** The file of a migrated database: starting from it takes a fifth of creating and migrating one, 0.9 and 4.8 s of CPU time. */
async function dumpTemplate(folder: string): Promise<Blob> {
  const dataDir = join(folder, "template");
  await copyTemplate("migrated", dataDir);
  const database = await startDatabase({ dataDir, calls: createCallCounter() });
  if (!database.dump) throw new Error("Only an embedded database can be a template.");
  const template = await database.dump();
  await database.close();
  return template;
}

/** True when every file of the project `node` ran, and none of its tests failed. */
async function allTestsPassed({ vitest }: TestProject): Promise<boolean> {
  const files = (await vitest.globTestSpecifications()).filter((file) => file.project.name === "node");
  const ran = new Set(vitest.state.getFiles().map((file) => file.filepath));
  return (
    files.length > 0 && files.every((file) => ran.has(file.moduleId)) && vitest.state.getCountOfFailedTests() === 0
  );
}

/** Fails the run if a test provoked an undocumented error, or a complete run did not provoke a documented one. */
function reportErrors(file: string, isComplete: boolean): void {
  const { unobserved, undocumented } = compareErrors(file);
  for (const line of undocumented) console.error(`provoked by a test, not documented in openapi.json: ${line}`);
  if (isComplete) {
    for (const line of unobserved) console.error(`documented in openapi.json, provoked by no test: ${line}`);
    console.log(`${listDocumentedErrors().size} documented errors, ${unobserved.length} not provoked`);
  }
  if (undocumented.length > 0 || (isComplete && unobserved.length > 0)) process.exitCode = 1;
}

/** Prints what was compared with the references; fails the run if the stack's own networks saw a mismatch. */
function reportReferences(file: string): void {
  for (const mismatch of takeMismatches()) {
    console.error(`mismatch with test/network-references: ${mismatch}`);
    process.exitCode = 1;
  }
  const compared = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  console.log(formatTable([...compared, ...takeRequests()]));
}

/** Creates a temporary database on a real server, so that concurrent runs do not conflict. */
async function createTemporaryDatabase(server: string | undefined) {
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
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}

/** Redis has 16 databases by default; 0 is left to others. */
const REDIS_DATABASES = 15;
const REDIS_CLAIM = "partner-api-test-run";
/** Longer than any run; a run that was killed leaves its database until then. */
const REDIS_CLAIM_SECONDS = 2 * 60 * 60;

/** Claims a database of a real server and empties it: what an earlier run left there would be read as this run's. */
async function claimEmptyRedis(server: string | undefined) {
  if (!server) return null;
  for (let database = 1; database <= REDIS_DATABASES; database++) {
    const url = new URL(server);
    url.pathname = `/${database}`;
    const client = new Redis(url.href);
    const isClaimed = await client.set(REDIS_CLAIM, "1", "EX", REDIS_CLAIM_SECONDS, "NX");
    if (isClaimed !== "OK") {
      await client.quit();
      continue;
    }
    await client.flushdb();
    await client.set(REDIS_CLAIM, "1", "EX", REDIS_CLAIM_SECONDS);
    const release = async () => {
      await client.flushdb();
      await client.quit();
    };
    return { url: url.href, release };
  }
  throw new Error(`All ${REDIS_DATABASES} databases of ${server} are in use by other runs of the tests.`);
}
