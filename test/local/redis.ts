// Upstash's REST protocol in front of a Redis inside this process or of a real one.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Redis as Client } from "ioredis";
import { createIoredisMock } from "js-redis-server";
import type { Calls } from "./calls.ts";
import { restoreKeys, saveKeys } from "./redis-file.ts";
import { parseJson, readText, requestIdOf, sendJson, serve } from "./serve.ts";

export type Redis = { url: string; token: string; close(): Promise<void> };

type Options = {
  redisUrl?: string;
  /** Where the Redis inside this process keeps its keys from one start to the next. */
  file?: string;
  port?: number;
  token: string;
  calls: Calls;
};

type Outcome = { result: unknown } | { error: string };

export async function startRedis({ redisUrl, file, port, token, calls }: Options): Promise<Redis> {
  const client = redisUrl === undefined ? await startOwn() : new Client(redisUrl);
  // The client reconnects by itself; unheard, its error would end the process.
  client.on("error", () => undefined);
  const kept = redisUrl === undefined ? file : undefined;
  if (kept !== undefined) await restoreKeys(client, kept);
  const scripts = createScripts();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${token}`) {
      return sendJson(response, 401, { error: "WRONGPASS invalid or missing auth token" });
    }
    const asked = readAsked(request, await readText(request));
    if (asked === null) return sendJson(response, 400, { error: "ERR failed to parse the command" });
    const refused = asked.commands.find(([name]) => CONNECTION_COMMANDS.has(name.toLowerCase()));
    if (refused !== undefined) {
      return sendJson(response, 400, { error: `ERR Command is not available: '${refused[0]}'` });
    }
    const commands = asked.commands.map(scripts.rewrite);
    const work = () => run(client, commands, asked.atomic);
    const outcomes = await calls.around("redis", requestIdOf(request), work);
    const encode = request.headers["upstash-encoding"] === "base64" ? toBase64 : toPlain;
    const shown = outcomes.map((outcome) => ("error" in outcome ? outcome : { result: encode(outcome.result, true) }));
    const [first] = shown;
    if (asked.many && !(first !== undefined && "error" in first && first.error.startsWith("EXECABORT"))) {
      return sendJson(response, 200, shown);
    }
    sendJson(response, first !== undefined && "error" in first ? 400 : 200, first);
  }

  const server = await serve({ what: "redis", calls, port: port ?? 0, answer });
  return {
    url: server.url,
    token,
    async close() {
      await server.close();
      if (kept !== undefined) await saveKeys(client, kept);
      client.disconnect();
    },
  };
}

/** Without a socket: its server writes replies one by one, and on a socket each but the first waits 40 ms for the last one's receipt. */
async function startOwn(): Promise<Client> {
  const client = await createIoredisMock();
  if (client instanceof Client) return client;
  throw new Error("A single Redis was asked for, not a cluster.");
}

type Command = [name: string, ...args: string[]];
type Asked = { commands: Command[]; many: boolean; atomic: boolean };

// They change the connection itself, and over HTTP there is none.
const CONNECTION_COMMANDS = new Set(
  "multi exec discard watch unwatch select auth hello quit subscribe psubscribe ssubscribe monitor".split(" "),
);

function readAsked({ method, url }: IncomingMessage, text: string): Asked | null {
  const many = url === "/pipeline" || url === "/multi-exec";
  if (method !== "POST" || !(many || url === "/")) return null;
  const body = parseJson(text);
  const commands = (many && Array.isArray(body) ? body : [body]).map(readCommand);
  if (!commands.every((command) => command !== null)) return null;
  return { commands, many, atomic: url === "/multi-exec" };
}

function readCommand(value: unknown): Command | null {
  if (!Array.isArray(value)) return null;
  const words = value.filter((word) => ["string", "number", "boolean"].includes(typeof word)).map(String);
  const [name, ...args] = words;
  return name === undefined || words.length !== value.length ? null : [name, ...args];
}

async function run(client: Client, commands: Command[], atomic: boolean): Promise<Outcome[]> {
  const chain = atomic ? client.multi() : client.pipeline();
  // In capitals, for the client reshapes the replies of commands whose names it knows, which Upstash does not.
  for (const [name, ...args] of commands) chain.callBuffer(name.toUpperCase(), args);
  try {
    const results = await chain.exec();
    return (results ?? []).map(([error, result]) => (error === null ? { result } : { error: error.message }));
  } catch (error) {
    // A transaction with a malformed command fails as a whole.
    if (error instanceof Error) return [{ error: error.message }];
    throw error;
  }
}

const SHEBANG = /^#!lua[^\n]*\n/;

/**
 * Upstash knows a script flag that no Redis knows (`#!lua flags=allow-key-locking`). Scripts are sent on without their
 * first line, and the hash of the original, which is what clients call, stands for the hash of what was sent.
 */
function createScripts() {
  const sent = new Map<string, string>();

  function strip(script: string): string {
    const stripped = script.replace(SHEBANG, "");
    if (stripped !== script) sent.set(sha1(script), sha1(stripped));
    return stripped;
  }

  return {
    rewrite([name, ...args]: Command): Command {
      const [first, second] = args;
      switch (name.toLowerCase()) {
        case "eval":
        case "eval_ro":
          return first === undefined ? [name] : [name, strip(first), ...args.slice(1)];
        case "evalsha":
        case "evalsha_ro":
          return first === undefined ? [name] : [name, sent.get(first) ?? first, ...args.slice(1)];
        case "script":
          if (first?.toLowerCase() === "exists")
            return [name, first, ...args.slice(1).map((sha) => sent.get(sha) ?? sha)];
          return first?.toLowerCase() === "load" && second !== undefined
            ? [name, first, strip(second)]
            : [name, ...args];
        default:
          return [name, ...args];
      }
    },
  };
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

// Upstash leaves the status OK as it is, though not inside an array.
function toBase64(value: unknown, outermost: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => toBase64(item, false));
  if (value instanceof Error) return toBase64(Buffer.from(value.message), false);
  if (!(value instanceof Uint8Array)) return value;
  const bytes = Buffer.from(value);
  return outermost && bytes.equals(OK) ? "OK" : bytes.toString("base64");
}

const OK = Buffer.from("OK");

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Error) return value.message;
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value;
}
