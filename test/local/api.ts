// `npm run api -- METHOD PATH [JSON]`: sends one request to the local stack, without the quoting rules of a shell.
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { fillBody, fillPath, NotSavedError, type SavedValues } from "./saved-values.ts";

const USAGE = `Usage: npm run -s api -- METHOD PATH [JSON] [--file BODY.json] [--save NAME=FIELD] [--key workspace]
       npm run -s api -- upload FILE [--save NAME=FIELD]

  --save video=file.url                         keeps a field of data; {video} puts it into later requests
  --save account=accounts.platform:tiktok.id    of a list, the first entry whose platform is tiktok
  --key NAME                                    another key of .local/ready.json`;

const FOLDER = join(import.meta.dirname, "../../.local");
const SAVED = join(FOLDER, "saved.json");
const CONTENT_TYPES: Record<string, string> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
};

const { values: options, positionals } = readArguments();
const [method = "", path = "", json] = positionals;
if (!path) exitWithError(USAGE);
const ready = JSON.parse(
  await readFile(join(FOLDER, "ready.json"), "utf8").catch(() =>
    exitWithError("The service is not running: start it with npm start."),
  ),
) as { baseUrl: string; keys: Record<string, string> };
const key = ready.keys[options.key] ?? exitWithError(`--key must be one of ${Object.keys(ready.keys).join(", ")}.`);
const saved: SavedValues = JSON.parse(await readFile(SAVED, "utf8").catch(() => "{}"));

const data = method === "upload" ? await uploadFile(path) : await callApi(method.toUpperCase(), path, await readBody());
if (options.save) await saveField(options.save, data);

function readArguments() {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      options: { file: text, save: text, key: { ...text, default: "workspace" } },
      allowPositionals: true,
    });
  } catch (error) {
    return exitWithError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function readBody(): Promise<string | null> {
  const { file } = options;
  if (!file) return json ?? null;
  return readFile(file, "utf8").catch(() => exitWithError(`There is no file ${file}.`));
}

async function callApi(verb: string, template: string, body: string | null): Promise<unknown> {
  const url = `${ready.baseUrl}${fillIn(fillPath, template)}`;
  const text = body === null ? null : fillIn(fillBody, body).trim();
  const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
  if (verb === "POST" || verb === "PATCH") headers["Idempotency-Key"] = crypto.randomUUID();
  const shown = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
  console.error(
    [`curl -X ${verb} '${url}'`, ...shown, ...(text === null ? [] : [`-d '${text.replaceAll("'", "'\\''")}'`])].join(
      " ",
    ),
  );
  const response = await fetch(url, { method: verb, headers, body: text });
  const envelope = (await response.json()) as { ok: boolean; data?: unknown };
  console.log(JSON.stringify(envelope, null, 2));
  if (!envelope.ok) process.exit(1);
  return envelope.data;
}

async function uploadFile(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch(() => exitWithError(`There is no file ${file}.`));
  const contentType =
    CONTENT_TYPES[file.split(".").at(-1)?.toLowerCase() ?? ""] ??
    exitWithError(`The file must end in one of ${Object.keys(CONTENT_TYPES).join(", ")}.`);
  const start = { contentType, filename: basename(file), size: bytes.length };
  const upload = (await callApi("POST", "/files", JSON.stringify(start))) as {
    id: string;
    uploadUrl: string;
    headers: Record<string, string>;
  };
  console.error(`curl -X PUT '${upload.uploadUrl}' -H 'Content-Type: ${contentType}' --data-binary @${file}`);
  const put = await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: bytes });
  if (!put.ok) exitWithError(`The storage returned ${put.status}: ${await put.text()}`);
  return callApi("POST", `/files/${upload.id}/finalize`, null);
}

function fillIn(fill: (template: string, values: SavedValues) => string, template: string): string {
  try {
    return fill(template, saved);
  } catch (error) {
    if (error instanceof NotSavedError) return exitWithError(error.message);
    throw error;
  }
}

async function saveField(assignment: string, from: unknown): Promise<void> {
  const [name = "", field = ""] = assignment.split("=");
  const value = field.split(".").reduce(readStep, from);
  if (typeof value !== "string") exitWithError(`The response has no text at ${field}.`);
  const values = { ...saved, [name]: value };
  await writeFile(SAVED, JSON.stringify(values));
  const names = Object.keys(values).map((one) => `{${one}}`);
  console.error(`Saved as ${name}: ${value}\nLater requests may contain ${names.join(", ")}.`);
}

/** One step of a path: the name of a field, or `name:value` for the first entry of a list that has it. */
function readStep(value: unknown, step: string): unknown {
  const [name = "", wanted] = step.split(":");
  if (wanted === undefined) return (value as Record<string, unknown> | null)?.[name];
  return Array.isArray(value) ? value.find((entry) => entry[name] === wanted) : undefined;
}

function exitWithError(message: string): never {
  console.error(message);
  process.exit(2);
}
