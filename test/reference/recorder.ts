// Sends the examples of the OpenAPI document, or records them when UPDATE_EXAMPLES=1.
// Ids, hosts and versions differ in each run, so those of the document are replaced by those of the run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { v7 as newId } from "uuid";
import { inject } from "vitest";
import type { Example } from "../../lib/http/openapi-documentation.ts";
import { type Client, vars } from "../support/harness.ts";
import { endpoints } from "../support/requests.ts";

type Json = Record<string, unknown>;

interface DocumentedContent {
  content: { "application/json": { schema: object; examples?: Record<string, { summary: string; value: unknown }> } };
}
interface DocumentedOperation {
  operationId: string;
  requestBody?: DocumentedContent;
  responses: Record<string, DocumentedContent>;
}

const path = join(import.meta.dirname, "../../functions/openapi.json");
const openapi = JSON.parse(readFileSync(path, "utf8")) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
};
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
for (const format of ["uri", "date", "uuid", "date-time"]) ajv.addFormat(format, true);
ajv.addSchema(openapi, "openapi");

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Fields whose whole value differs in each run. */
const VERSIONS = new Set(["plan_hash", "fingerprint", "updated_at", "etag", "next_cursor"]);
/** The hosts of a run, and those that the document shows. */
const HOSTS: [string, string][] = [
  [vars.CDN_URL ?? "", "https://cdn.example.com"],
  [vars.S3_ENDPOINT ?? "", "https://storage.example.com"],
  ["http://api.test", "https://api.example.com"],
  [inject("receiver"), "https://hooks.example.com"],
];
const MAX_ITEMS = 2;

export interface Request {
  title: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Json;
  status?: number;
}

export function createRecorder(api: Client, recording: boolean, recorded: Record<string, Example[]>) {
  const made: Record<string, Example[]> = {};
  const known = new Map<string, string>();
  const shownIds = new Map<string, string>();
  const problems: string[] = [];

  /** Notes which value of the run stands for which value of the document. */
  function learn(shown: unknown, live: unknown, key = ""): void {
    if (typeof shown === "string" && typeof live === "string") {
      if (VERSIONS.has(key)) known.set(shown, live);
      const [before, after] = [shown.match(UUID) ?? [], live.match(UUID) ?? []];
      for (const [at, id] of before.entries()) if (after[at]) known.set(id, after[at]);
      return;
    }
    if (typeof shown !== "object" || shown === null || typeof live !== "object" || live === null) return;
    for (const [name, value] of Object.entries(shown)) {
      learn(value, (live as Json)[name], Array.isArray(shown) ? key : name);
    }
  }

  /** A value of the document as this run has to send it. */
  function toLive(value: unknown): unknown {
    if (typeof value === "string") {
      const whole = known.get(value);
      if (whole) return whole;
      const hosted = HOSTS.reduce((text, [live, shown]) => text.replace(shown, live), value);
      return hosted.replace(UUID, (id) => known.get(id) ?? id);
    }
    return mapValues(value, toLive);
  }

  /** Returns what is recorded: ids and instants that differ in each run stay as the document has them. */
  function keepShown(fresh: unknown, shown: unknown): unknown {
    if (typeof fresh === "string") {
      if (typeof shown === "string" && INSTANT.test(fresh) && INSTANT.test(shown)) return shown;
      return shownIds.get(fresh) ?? fresh.replace(UUID, (id) => shownIds.get(id) ?? id);
    }
    if (Array.isArray(fresh)) return fresh.map((item, at) => keepShown(item, (shown as unknown[] | undefined)?.[at]));
    return mapValues(fresh, (value, key) => keepShown(value, (shown as Json | undefined | null)?.[key]));
  }

  return {
    made,
    problems,

    /** Sends one example and returns `data`. */
    // biome-ignore lint/suspicious/noExplicitAny: the scenario reads any response.
    async send(id: string, request: Request): Promise<any> {
      const endpoint = endpoints.find((candidate) => candidate.id === id);
      if (!endpoint) throw new Error(`There is no endpoint ${id}.`);
      const { title, params = {}, query = {}, status = endpoint.spec.status ?? 200 } = request;
      const place = made[id] ?? [];
      made[id] = place;
      const example = recording ? recorded[id]?.find((one) => one.title === title) : recorded[id]?.[place.length];
      if (!recording && example?.title !== title)
        throw new Error(`${id} has no example "${title}": record the examples.`);
      if (example && !recording)
        for (const part of ["params", "query", "body"] as const) learn(example[part], request[part]);
      const body = recording ? request.body : toLive(readDocumentedBody(id, title));
      const filled = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => {
        return String(recording ? params[name] : toLive(example?.params[name]));
      });
      const search = new URLSearchParams(recording ? query : (toLive(example?.query) as Record<string, string>));
      const response = await api.call(endpoint.method, `${filled}${search.size > 0 ? `?${search}` : ""}`, {
        body,
        headers: endpoint.spec.idempotent === "required" ? { "Idempotency-Key": newId() } : {},
      });
      if (response.status !== status)
        throw new Error(`${id} "${title}": ${response.status} ${JSON.stringify(response.body)}`);
      problems.push(...validate(id, status, response.body).map((problem) => `${id} "${title}" responded: ${problem}`));
      if (example) learn(example.response, response.body);
      if (recording) for (const [id, live] of known) shownIds.set(live, id);
      if (example && !recording) {
        problems.push(...validate(id, status, example.response).map((problem) => `${id} "${title}" shows: ${problem}`));
      }
      const sent = request.body === undefined ? {} : { body: toShown(request.body) };
      const fresh: Example = { title, params, query, ...sent, status, response: toShown(response.body) };
      place.push(recording ? (keepShown(fresh, example) as Example) : fresh);
      return response.body.data;
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;

function findOperation(id: string): { pointer: string; operation: DocumentedOperation } {
  for (const [pattern, methods] of Object.entries(openapi.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== id) continue;
      return { pointer: `/paths/${encodeURIComponent(pattern.replaceAll("/", "~1"))}/${method}`, operation };
    }
  }
  throw new Error(`openapi.json has no operation ${id}.`);
}

function readDocumentedBody(id: string, title: string): unknown {
  const examples = findOperation(id).operation.requestBody?.content["application/json"].examples ?? {};
  return Object.values(examples).find(({ summary }) => summary === title)?.value;
}

function validate(id: string, status: number, body: unknown): string[] {
  return validateAt(`${findOperation(id).pointer}/responses/${status}/content/application~1json/schema`, body);
}

/** The errors of a value, by the schema at a pointer into the OpenAPI document. */
export function validateAt(place: string, body: unknown): string[] {
  const pointer = `openapi#${place}`;
  const validator = ajv.getSchema(pointer) ?? ajv.compile({ $ref: pointer });
  return validator(body)
    ? []
    : (validator.errors ?? []).map((error: ErrorObject) => `${error.instancePath} ${error.message}`);
}

/** A value of the run as the document shows it: example hosts, no signatures, short lists. */
export function toShown(value: unknown, key = ""): unknown {
  if (key === "settings_schema") return { type: "object" };
  // Its schema fixes the numbers of days and hours.
  if (key === "postingHeatmap") return value;
  if (typeof value === "string") {
    const hosted = HOSTS.reduce((text, [live, shown]) => text.replace(live, shown), value);
    return hosted
      .replace(/\?X-Amz-.*$/, "?X-Amz-Signature=...")
      .replace(/^whsec_.+$/, "whsec_...")
      .replace(/^http:\/\/127\.0\.0\.1:\d+/, "https://network.example.com");
  }
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ITEMS).map((item) => toShown(item));
  }
  return mapValues(value, toShown);
}

function mapValues(value: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => change(item, ""));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item, key)]));
}
