// `npx node test/clients/run.ts`: redocly and spectral find nothing in the served OpenAPI document, and clients that
// openapi-typescript and @hey-api/openapi-ts generate from it compile strictly and post a video to the local stack.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { runOnTemporaryStack } from "../local/temporary-stack.ts";

const FOLDER = join(import.meta.dirname, "../../.clients");
const CLIENTS = ["with-openapi-typescript", "with-hey-api"];

interface Client {
  postVideo(
    baseUrl: string,
    token: string,
    video: Uint8Array,
  ): Promise<{ status: string; accounts: { states: object[] } }>;
}

const log = (line: string) => console.log(line);

await installTools();
await runOnTemporaryStack("clients", log, async ({ stack, worker }) => {
  const served = await fetch(`${worker.url}/openapi.json`);
  writeFileSync(join(FOLDER, "openapi.json"), await served.text());
  await runTool("redocly", "lint", "openapi.json", "--config", "redocly-strict.yaml");
  await runTool("spectral", "lint", "openapi.json", "--ruleset", "spectral.yaml", "--fail-severity", "hint");
  await runTool("openapi-typescript", "openapi.json", "-o", "partner-api.d.ts");
  await runTool("openapi-ts", "-i", "openapi.json", "-o", "partner-api");
  writeGuideExamples(await (await fetch(`${worker.url}/docs/typed-clients.md`)).text());
  await runTool("tsc", "-p", "tsconfig.json");

  const video = readFileSync(join(import.meta.dirname, "../local/demo.mp4"));
  // Node removes the types of the clients, but looks for imports under the names that they have.
  await runTool("tsc", "-p", "tsconfig.json", "--noEmit", "false", "--outDir", "built");
  for (const name of CLIENTS) {
    const client = (await import(pathToFileURL(join(FOLDER, "built", `${name}.js`)).href)) as Client;
    const { status, accounts } = await client.postVideo(
      `${worker.url}${BASE_PATH}`,
      stack.seed.keys.workspace,
      new Uint8Array(video),
    );
    if (accounts.states.length !== 1) throw new Error(`${name} posted to ${accounts.states.length} accounts.`);
    log(`${name}: posted a video, ${status}`);
  }
  return "passed";
});

/** Stores the TypeScript of the guide, so that it is compiled as it stands. */
function writeGuideExamples(guide: string): void {
  const examples = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  if (examples.length !== CLIENTS.length) throw new Error(`The guide has ${examples.length} examples.`);
  for (const [at, [, code = ""]] of examples.entries()) writeFileSync(join(FOLDER, `guide-${at}.ts`), code);
}

/** Installs the pinned tools into `.clients`, apart from the packages of this service. */
async function installTools(): Promise<void> {
  const lock = readFileSync(join(import.meta.dirname, "package-lock.json"), "utf8");
  const stamp = join(FOLDER, "installed");
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
    for (const name of ["package.json", "package-lock.json"]) {
      cpSync(join(import.meta.dirname, name), join(FOLDER, name));
    }
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    writeFileSync(stamp, lock);
  }
  for (const name of ["partner-api", "built", "partner-api.d.ts"])
    rmSync(join(FOLDER, name), { recursive: true, force: true });
  for (const name of ["config", "programs"]) cpSync(join(import.meta.dirname, name), FOLDER, { recursive: true });
}

async function runTool(name: string, ...args: string[]): Promise<void> {
  await run(process.execPath, [join(FOLDER, "node_modules/.bin", name), ...args]);
  log(`${name} ${args[0]}: passed`);
}

/** Not in a way that blocks: the servers of the local stack run in this process. */
async function run(command: string, args: string[]): Promise<void> {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  try {
    await promisify(execFile)(command, args, { cwd: FOLDER, env, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout ?? ""}${stderr ?? ""}`);
  }
}
