// Upstash's REST protocol in front of an embedded or a real Redis.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Redis as Client } from "ioredis";
import { createIoredisMock } from "js-redis-server";
import type { CallCounter } from "./call-counter.ts";
import { readable } from "./damaged-state.ts";
import { parseJson, readRequestId, readText, sendJson, startHttpServer } from "./http-server.ts";
import { restoreKeys, saveKeys } from "./redis-file.ts";

export type Redis = { url: string; token: string; close(): Promise<void> };

type Options = {
  redisUrl?: string;
  /** The file in which the embedded Redis persists its keys across restarts. */
  file?: string;
  port?: number;
  token: string;
  calls: CallCounter;
};

type CommandResult = { result: unknown } | { error: string };

export async function startRedis({ redisUrl, file, port, token, calls }: Options): Promise<Redis> {
  const client = redisUrl === undefined ? await startEmbeddedRedis() : await connectToServer(redisUrl);
  // The client reconnects automatically; without a listener, its errors would end the process.
  client.on("error", () => undefined);
  const persistedFile = redisUrl === undefined ? file : undefined;
  if (persistedFile !== undefined) await readable(persistedFile, () => restoreKeys(client, persistedFile));
  const scripts = createScriptRewriter();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${token}`) {
      return sendJson(response, 401, { error: "WRONGPASS invalid or missing auth token" });
    }
    const parsed = parseRequest(request, await readText(request));
    if (parsed === null) return sendJson(response, 400, { error: "ERR failed to parse the command" });
    const forbidden = parsed.commands.find(([name]) => CONNECTION_COMMANDS.has(name.toLowerCase()));
    if (forbidden !== undefined) {
      return sendJson(response, 400, { error: `ERR Command is not available: '${forbidden[0]}'` });
    }
    const commands = parsed.commands.map(scripts.rewrite);
    const work = () => runCommands(client, commands, parsed.atomic);
    const outcomes = await calls.countCall("redis", readRequestId(request), work);
    const encode = request.headers["upstash-encoding"] === "base64" ? toBase64 : toPlain;
    const encoded = outcomes.map((outcome) =>
      "error" in outcome ? outcome : { result: encode(outcome.result, true) },
    );
    const [first] = encoded;
    if (parsed.isBatch && !(first !== undefined && "error" in first && first.error.startsWith("EXECABORT"))) {
      return sendJson(response, 200, encoded);
    }
    sendJson(response, first !== undefined && "error" in first ? 400 : 200, first);
  }

  const server = await startHttpServer({ name: "redis", calls, port: port ?? 0, handle });
  return {
    url: server.url,
    token,
    async close() {
      await server.close();
      if (persistedFile !== undefined) await saveKeys(client, persistedFile);
      client.disconnect();
    },
  };
}

/**
 * Throws when the server cannot be used. The client itself waits in silence, so that the first request would end with 503, and
 * it stays in database 0 when the server refuses the number of the database.
 */
async function connectToServer(redisUrl: string): Promise<Client> {
  const client = new Client(redisUrl, { lazyConnect: true });
  let reason: Error | undefined;
  client.on("error", (error) => {
    reason ??= error;
  });
  const { host, port, db = 0 } = client.options;
  try {
    await client.connect();
    await client.select(db);
    return client;
  } catch (error) {
    client.disconnect();
    throw new Error(`Redis at ${host}:${port}, database ${db}, cannot be used.`, { cause: reason ?? error });
  }
}

/** Without a socket: its server writes replies one by one, and delayed ACKs would add 40 ms to each reply after the first. */
async function startEmbeddedRedis(): Promise<Client> {
  const client = await createIoredisMock();
  if (client instanceof Client) return client;
  throw new Error("Expected a single Redis, not a cluster.");
}

type Command = [name: string, ...args: string[]];
type ParsedRequest = { commands: Command[]; isBatch: boolean; atomic: boolean };

// Commands that change the state of a connection, which HTTP does not have.
const CONNECTION_COMMANDS = new Set(
  "multi exec discard watch unwatch select auth hello quit subscribe psubscribe ssubscribe monitor".split(" "),
);

function parseRequest({ method, url }: IncomingMessage, text: string): ParsedRequest | null {
  const isBatch = url === "/pipeline" || url === "/multi-exec";
  if (method !== "POST" || !(isBatch || url === "/")) return null;
  const body = parseJson(text);
  const commands = (isBatch && Array.isArray(body) ? body : [body]).map(parseCommand);
  if (!commands.every((command) => command !== null)) return null;
  return { commands, isBatch, atomic: url === "/multi-exec" };
}

function parseCommand(value: unknown): Command | null {
  if (!Array.isArray(value)) return null;
  const words = value.filter((word) => ["string", "number", "boolean"].includes(typeof word)).map(String);
  const [name, ...args] = words;
  return name === undefined || words.length !== value.length ? null : [name, ...args];
}

async function runCommands(client: Client, commands: Command[], atomic: boolean): Promise<CommandResult[]> {
  const pipeline = atomic ? client.multi() : client.pipeline();
  // Upper case, because the client transforms replies of command names it knows, which Upstash does not.
  for (const [name, ...args] of commands) pipeline.callBuffer(name.toUpperCase(), args);
  try {
    const results = await pipeline.exec();
    return (results ?? []).map(([error, result]) => (error === null ? { result } : { error: error.message }));
  } catch (error) {
    // A transaction with a malformed command fails as a whole.
    if (error instanceof Error) return [{ error: error.message }];
    throw error;
  }
}

const SHEBANG = /^#!lua[^\n]*\n/;

/**
 * Upstash supports a script flag that Redis rejects (`#!lua flags=allow-key-locking`). Scripts are forwarded without their
 * first line, and the SHA-1 of the original script, which clients send, is mapped to that of the forwarded script.
 */
function createScriptRewriter() {
  const rewrittenHashes = new Map<string, string>();

  function stripShebang(script: string): string {
    const stripped = script.replace(SHEBANG, "");
    if (stripped !== script) rewrittenHashes.set(sha1(script), sha1(stripped));
    return stripped;
  }

  return {
    rewrite([name, ...args]: Command): Command {
      const [first, second] = args;
      switch (name.toLowerCase()) {
        case "eval":
        case "eval_ro":
          return first === undefined ? [name] : [name, stripShebang(first), ...args.slice(1)];
        case "evalsha":
        case "evalsha_ro":
          return first === undefined ? [name] : [name, rewrittenHashes.get(first) ?? first, ...args.slice(1)];
        case "script":
          if (first?.toLowerCase() === "exists")
            return [name, first, ...args.slice(1).map((sha) => rewrittenHashes.get(sha) ?? sha)];
          return first?.toLowerCase() === "load" && second !== undefined
            ? [name, first, stripShebang(second)]
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

// Upstash does not encode the status OK, except inside an array.
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
