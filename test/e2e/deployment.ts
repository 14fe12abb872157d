// A deployment for the tests of one file: a local stack and its real Workers, which start before the tests and end after them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { findFreePort } from "../local/free-port.ts";
import { formatDotenv, type LocalStack, startLocalStack } from "../local/stack.ts";
import { startWorker, type Worker } from "../local/worker.ts";

/** On a busy machine the Workers take a minute to start. */
const START_MS = 180_000;

interface CallOptions {
  /** The key of the seeded workspace by default. */
  key?: string;
  signal?: AbortSignal;
}

export interface Deployment {
  stack: LocalStack;
  worker: Worker;
  /** The settings of the Workers. */
  settings: Record<string, string>;
  /** Returns the `data` of a response; throws for any error. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests read any response.
  callApi(method: string, path: string, body?: unknown, options?: CallOptions): Promise<any>;
  /** Starts the Workers again, with these settings in addition to those of the stack. */
  deploy(settings: Record<string, string>): Promise<void>;
}

/** Returns the `data` of a response; throws for any error. */
export async function callDeployed(
  url: string,
  {
    method,
    path,
    body,
    key,
    signal,
  }: { method: string; path: string; body: unknown; key: string; signal?: AbortSignal },
) {
  const response = await fetch(`${url}${BASE_PATH}${path}`, {
    method,
    signal: signal ?? null,
    headers: { Authorization: `Bearer ${key}`, "Idempotency-Key": crypto.randomUUID() },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const envelope = (await response.json()) as { data: unknown };
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(envelope)}`);
  // biome-ignore lint/suspicious/noExplicitAny: the tests read any response.
  return envelope.data as any;
}

/** The properties are set when the tests run. `log` receives what happens to the Worker. */
export function useDeployment(name: string, log: (line: string) => void = () => undefined): Deployment {
  let folder: string;
  let port: number;

  const deployment = {
    callApi: (method, path, body, { key = deployment.stack.seed.keys.workspace, signal } = {}) =>
      callDeployed(deployment.worker.url, { method, path, body, key, ...(signal ? { signal } : {}) }),
    async deploy(settings) {
      await deployment.worker?.close();
      const varsFile = join(folder, "worker.env");
      const own = { PUBLIC_URL: `http://127.0.0.1:${port}`, ...settings };
      deployment.settings = { ...deployment.stack.vars, ...own };
      await writeFile(varsFile, formatDotenv(deployment.settings), { mode: 0o600 });
      deployment.worker = await startWorker({ port, folder, varsFile, log });
    },
  } as Deployment;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `partner-api-${name}-`));
    port = await findFreePort();
    deployment.stack = await startLocalStack({ folder, fresh: false, log: () => undefined });
    await deployment.deploy({});
  }, START_MS);

  afterAll(async () => {
    await deployment.worker?.close();
    await deployment.stack?.close();
    await rm(folder, { recursive: true, force: true });
  });

  return deployment;
}
