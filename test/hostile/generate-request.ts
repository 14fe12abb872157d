// One request: an operation of the document, made hostile in some of its parts.
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { generateValue, pickId, type Sender } from "./generate-value.ts";
import { pickHostileContainer, pickHostileText, pickHostileValue } from "./hostile-values.ts";
import { formatJson, MAX_BODY_LENGTH } from "./json.ts";
import { mutate } from "./mutate.ts";
import { type Operation, operations, type Parameter } from "./operations.ts";
import { createRandom, type Random } from "./random.ts";
import type { Tenant } from "./tenants.ts";
import { VALID_BODIES } from "./valid-bodies.ts";

export interface HostileRequest {
  index: number;
  tenant: Tenant;
  operation: Operation;
  method: string;
  /** As it is sent, with the query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** True when path or method were changed, so that the response may be of another operation or of none. */
  rerouted: boolean;
  /** True when the path names a record of another tenant. */
  foreignPath: boolean;
}

export function generateRequest(seed: number, index: number, tenants: readonly Tenant[]): HostileRequest {
  const random = createRandom(`${seed}:${index}`);
  const tenant = random.pick(tenants);
  const sender: Sender = { tenant, others: tenants.filter((other) => other !== tenant) };
  const operation = random.pick(operations);
  const { segments, foreign } = generatePath(random, sender, operation);
  const { path, rerouted } = rerouteSometimes(random, segments);
  const method = random.chance(0.96) ? operation.method : random.pick(OTHER_METHODS);
  const query = generateQuery(random, sender, operation);
  const body = generateBody(random, sender, operation, method);
  return {
    index,
    tenant,
    operation,
    method,
    path: query === "" ? path : `${path}?${query}`,
    headers: generateHeaders(random, sender, operation, body),
    body,
    rerouted: rerouted || method !== operation.method,
    foreignPath: foreign && !rerouted,
  };
}

// Methods that a Worker receives; the platform itself handles others.
const OTHER_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "COPY"];

const BAD_SEGMENTS = [
  "",
  "0",
  "null",
  "%00",
  "%",
  "%zz",
  "%ff%fe",
  "..%2f..",
  "%2e%2e",
  "%F0%9F%98%80",
  "%E2%80%AE",
  "a;b=c",
  "'%20or%201=1--",
  "*",
  "-1",
  "1e9",
  "99999999999999999999",
  "00000000-0000-0000-0000-000000000000",
  "g".repeat(36),
  "x".repeat(4_000),
  "%25",
  "$1",
  "{id}",
  ":id",
];

function generatePath(random: Random, sender: Sender, operation: Operation) {
  let foreign = false;
  const segments = operation.path
    .slice(1)
    .split("/")
    .map((segment) => {
      if (!segment.startsWith("{")) return segment;
      const name = segment.slice(1, -1);
      if (random.chance(0.12)) return random.pick(BAD_SEGMENTS);
      if (random.chance(0.02)) return encodeText(pickHostileText(random)).slice(0, 6_000);
      if (name === "index") return random.pick(["0", "0", "1", "34", "35", "-1", "01", "1.5"]);
      if (operation.id.startsWith("viral-library")) return random.pick(["tiktok_1", "instagram_C8", random.uuid()]);
      const id = pickId(random, sender, name);
      foreign ||= isForeign(sender, id);
      return id;
    });
  return { segments, foreign };
}

function isForeign({ others }: Sender, id: string): boolean {
  return others.some(({ records }) => Object.values(records).some((ids) => ids.includes(id.toLowerCase())));
}

type Reroute = (path: string, segments: string[]) => string;
const REROUTES: readonly Reroute[] = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => path.replace("/v1/", "/v1//"),
  (path) => path.replace("/v1/", "/v1/./"),
  (path) => path.replace("/v1/", "/v1/x/../"),
  (path) => path.replace("/v1/", "/v1/%2e%2e/v1/"),
  (path) => path.replace("/v1/", "/v2/"),
  (path) => path.replace("/api/", "/API/"),
  (path) => path.replace("/v1/", "/v1%2f"),
  (path) => path.replace("/v1/", "/v1\\"),
  (path) => path.toUpperCase(),
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path};a=b`,
  (path) => `${path}.json`,
  (path) => `/${path}`,
  (path) => `${path}/%2e%2e/%2e%2e/admin`,
  (path, segments) => `${path}/${segments.at(-1)}`,
  (path, [first = ""]) => path.replace(first, encodeEvery(first)),
  (_path, [first = ""]) => `${BASE_PATH}/${first}/`,
  () => `${BASE_PATH}/`,
  () => BASE_PATH,
];

function rerouteSometimes(random: Random, segments: string[]): { path: string; rerouted: boolean } {
  const path = `${BASE_PATH}/${segments.join("/")}`;
  // Such segments change the route by themselves.
  const rerouted = segments.some((segment) => segment === "" || /%2[ef]|%25|^%$/i.test(segment));
  if (!random.chance(0.04)) return { path, rerouted };
  return { path: random.pick(REROUTES)(path, segments), rerouted: true };
}

const MAX_QUERY_LENGTH = 3_000;
const STRANGE_QUERIES = [
  "limit=10&limit=20",
  "limit[]=1",
  "limit[$gt]=1",
  "%00=1",
  "a=%zz",
  "a=%ff%fe",
  "=&=&&",
  "?",
  "__proto__[x]=1",
  "constructor=1",
  "cursor=%00",
  `q=${"x".repeat(3_000)}`,
  Array.from({ length: 500 }, (_, at) => `k${at}=1`).join("&"),
];

function generateQuery(random: Random, sender: Sender, { parameters }: Operation): string {
  const known = parameters.filter((parameter) => parameter.in === "query");
  const wanted = known.filter(({ required }) => random.chance(required ? 0.9 : 0.35));
  const parts = wanted.map(
    (parameter) => `${parameter.name}=${encodeText(generateQueryValue(random, sender, parameter))}`,
  );
  if (random.chance(known.length > 0 ? 0.06 : 0.02)) parts.push(random.pick(STRANGE_QUERIES));
  if (random.chance(0.01)) parts.push(`workspace_id=${pickId(random, sender, "workspace_id")}`);
  return parts.join("&");
}

function generateQueryValue(random: Random, sender: Sender, { name, schema }: Parameter): string {
  if (random.chance(0.25)) return String(pickHostileText(random)).slice(0, MAX_QUERY_LENGTH);
  if (random.chance(0.05)) return formatJson(pickHostileValue(random), MAX_QUERY_LENGTH);
  const value = generateValue(random, sender, schema, name);
  return typeof value === "string" ? value : formatJson(value, MAX_QUERY_LENGTH);
}

function generateBody(random: Random, sender: Sender, operation: Operation, method: string): Buffer | null {
  const takesBody = operation.body !== null || method === "POST" || method === "PATCH";
  if (!takesBody) return random.chance(0.03) && method !== "HEAD" ? Buffer.from('{"a":1}') : null;
  if (!operation.body) return random.pick([null, Buffer.from("{}"), Buffer.from("{"), Buffer.from('{"a":1}')]);
  const valid = VALID_BODIES[operation.id];
  const value =
    valid && random.chance(0.7) ? valid(random, sender) : generateValue(random, sender, operation.body, operation.id);
  const changed = random.chance(0.3) ? value : mutate(random, value);
  const text = formatJson(changed, MAX_BODY_LENGTH);
  return random.chance(0.92) ? Buffer.from(text, "utf8") : damageText(random, text);
}

function damageText(random: Random, text: string): Buffer | null {
  const damages: (() => Buffer | null)[] = [
    () => Buffer.from(text.slice(0, random.int(text.length))),
    () => Buffer.from(`${text}${random.pick(["}", ",", "\u0000", "{}", " //x"])}`),
    () => Buffer.from(`\uFEFF${text}`),
    () => Buffer.from(text, "utf16le"),
    () => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]),
    () => Buffer.from([0xed, 0xa0, 0x80, 0x22, 0xf8]),
    () => Buffer.from(text.replaceAll('"', "'")),
    () => Buffer.from(random.pick(["null", "true", "0", '""', '"text"', "[]", "[[]]", "NaN", "undefined", "   "])),
    () => Buffer.from(new URLSearchParams({ caption: "a", name: "b" }).toString()),
    () => Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--'),
    () => Buffer.from(formatJson(pickHostileContainer(random), MAX_BODY_LENGTH)),
    () => Buffer.from(`{"caption":"${"x".repeat(random.pick([60_000, 1_048_560, 1_100_000]))}"}`),
    () => null,
  ];
  return random.pick(damages)();
}

const CONTENT_TYPES = [
  "text/plain",
  "application/xml",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "x",
  "*/*",
];

function generateHeaders(
  random: Random,
  { tenant, others }: Sender,
  operation: Operation,
  body: Buffer | null,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (random.chance(0.97)) headers.authorization = `Bearer ${tenant.token}`;
  else Object.assign(headers, random.pick(buildBadCredentials(tenant, random.pick(others))));
  if (body) headers["content-type"] = random.chance(0.95) ? "application/json" : random.pick(CONTENT_TYPES);
  if (body && random.chance(0.01)) headers["content-encoding"] = random.pick(["gzip", "br", "x"]);
  const required = operation.parameters.some(({ name, required }) => name === "Idempotency-Key" && required);
  if (random.chance(required ? 0.9 : 0.3)) headers["idempotency-key"] = pickIdempotencyKey(random);
  if (random.chance(0.05))
    headers["x-request-id"] = random.pick(["abc.DEF-1_2", "x".repeat(128), "x".repeat(129), "a b", "<b>", "\u00e9"]);
  if (random.chance(0.01)) headers["x-forwarded-host"] = "evil.example";
  if (random.chance(0.01)) headers["x-http-method-override"] = "DELETE";
  if (random.chance(0.01)) headers.accept = random.pick(["text/html", "image/*", "x"]);
  return headers;
}

function pickIdempotencyKey(random: Random): string {
  // A small set of keys, so that some are reused with another body or operation.
  if (random.chance(0.8)) return `key-${random.int(300)}`;
  return random.pick(["", "same", "same", "x".repeat(255), "x".repeat(256), "a b", "\u00e9", "a\tb", '"quoted"', "*"]);
}

function buildBadCredentials(own: Tenant, other: Tenant): Record<string, string>[] {
  const [ownId, ownSecret] = own.token.split(".");
  const [otherId, otherSecret] = other.token.split(".");
  return [
    {},
    { authorization: "" },
    { authorization: "Bearer" },
    { authorization: `Basic ${own.token}` },
    { authorization: `Bearer ${ownId}` },
    { authorization: `Bearer ${otherId}.${ownSecret}` },
    { authorization: `Bearer ${ownId}.${otherSecret}` },
    { authorization: `Bearer ${ownId}.` },
    { authorization: "Bearer ' or 1=1 --.x" },
    { authorization: `Bearer pk_${"0".repeat(16)}.${"x".repeat(5_000)}` },
    { authorization: "Bearer \u00e9.\u00e9" },
  ];
}

/** Percent-encodes; lone surrogates, which have no UTF-8, become the bytes that a careless encoder writes. */
function encodeText(text: string): string {
  return [...text]
    .map((character) => (character.isWellFormed() ? encodeURIComponent(character) : "%ED%A0%80"))
    .join("");
}

function encodeEvery(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
}
