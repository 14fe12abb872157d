// Starts a real Bluesky server as a process of its own, and creates accounts on it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { findFreePort } from "../local/free-port.ts";

export interface PdsAccount {
  did: string;
  handle: string;
  password: string;
  accessToken: string;
  refreshToken: string;
}

export interface RunningPds {
  url: string;
  /** The directory of identities that names this server. */
  directoryUrl: string;
  createAccount(name: string): Promise<PdsAccount>;
  /** Calls a method of the server; throws when it fails. */
  call(method: "GET" | "POST", name: string, options?: CallOptions): Promise<Record<string, unknown>>;
  /** Lets the server read a document at a URL of the internet, in place of what is there. */
  showDocument(url: string, json: unknown): void;
  close(): Promise<void>;
}

interface CallOptions {
  token?: string;
  query?: Record<string, string>;
  json?: unknown;
}

export async function startPds(): Promise<RunningPds> {
  const folder = await mkdtemp(join(tmpdir(), "pds-"));
  const ports = [await findFreePort(), await findFreePort()];
  // The channel ends with this process, and the server with the channel.
  const child = spawn(process.execPath, [join(import.meta.dirname, "serve.ts"), ...ports.map(String), folder], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, LOG_ENABLED: "false" },
  });
  const ended = once(child, "exit");
  const urls = await Promise.race([readUrls(child.stdout), ended.then(() => null)]);
  if (!urls) throw new Error("The Bluesky server ended before it responded; its messages are above.");
  const call: RunningPds["call"] = async (method, name, { token, query, json } = {}) => {
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(json ? { "content-type": "application/json" } : {}),
    };
    const search = new URLSearchParams(query);
    const body = json ? JSON.stringify(json) : null;
    const response = await fetch(`${urls.url}/xrpc/${name}?${search}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
  return {
    ...urls,
    call,
    async createAccount(name) {
      const [handle, password] = [`${name}.test`, `${name}-password`];
      const json = { handle, email: `${name}@example.com`, password };
      const { did, accessJwt, refreshJwt } = await call("POST", "com.atproto.server.createAccount", { json });
      return {
        did: String(did),
        handle,
        password,
        accessToken: String(accessJwt),
        refreshToken: String(refreshJwt),
      };
    },
    showDocument: (url, json) => void child.send({ url, json }),
    async close() {
      if (child.connected) child.disconnect();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readUrls(output: Readable | null): Promise<Pick<RunningPds, "url" | "directoryUrl">> {
  if (!output) throw new Error("The Bluesky server has no output.");
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('{"url"')) {
      // Further output is read and dropped, so that the process never waits for a reader.
      output.resume();
      return JSON.parse(line) as Pick<RunningPds, "url" | "directoryUrl">;
    }
  }
  throw new Error("The Bluesky server closed its output.");
}
