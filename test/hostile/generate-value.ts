// Values from a schema, mostly valid, with ids of the sender's own and of other tenants' records.

import { resolve, type Schema } from "./operations.ts";
import type { Random } from "./random.ts";
import { KINDS, type Kind, type Tenant } from "./tenants.ts";

export interface Sender {
  tenant: Tenant;
  others: readonly Tenant[];
}

/** The kind of record that a field of this name holds. */
const KIND_BY_NAME: Record<string, readonly Kind[]> = {
  accounts: ["account"],
  account_ids: ["account"],
  accountIds: ["account"],
  post_ids: ["post"],
  postIds: ["post"],
  postId: ["post"],
  product_id: ["product"],
  productId: ["product"],
  pack_id: ["pack"],
  packId: ["pack"],
  pack_assignments: ["pack"],
  packAssignments: ["pack"],
  image_pack_id: ["pack"],
  imageId: ["packImage"],
  template_id: ["template"],
  templateId: ["template"],
  file_ids: ["file"],
  fileId: ["file", "pendingFile"],
  uploadId: ["upload", "pendingFile"],
  item_ids: ["file", "slideshow"],
  parent_folder_id: ["folder"],
  folder_id: ["folder"],
  folderId: ["folder"],
  slideshowId: ["slideshow"],
  projectId: ["project"],
  targetId: ["target"],
  refreshId: ["refresh"],
};

/** An id for a field: own, another tenant's, of a wrong kind, or of no record at all. */
export function pickId(random: Random, { tenant, others }: Sender, name: string): string {
  const kinds = KIND_BY_NAME[name] ?? KINDS;
  const of = (owner: Tenant, from: readonly Kind[]) => random.pick(owner.records[random.pick(from)]);
  switch (random.pickWeighted({ own: 55, other: 25, wrongKind: 8, unknown: 6, upperCase: 6 })) {
    case "own":
      return of(tenant, kinds);
    case "other":
      return of(random.pick(others), kinds);
    case "wrongKind":
      return of(random.chance(0.5) ? tenant : random.pick(others), KINDS);
    case "unknown":
      return random.uuid();
    case "upperCase":
      return of(random.chance(0.5) ? tenant : random.pick(others), kinds).toUpperCase();
  }
}

const UUID_FORMAT = /^\^\(\[0-9a-fA-F\]\{8\}/;
const MAX_DEPTH = 12;

/** `name` is the nearest field name. */
export function generateValue(random: Random, sender: Sender, schema: Schema, name: string, depth = 0): unknown {
  const node = resolve(schema);
  const options = node.anyOf ?? node.oneOf;
  if (options) return generateValue(random, sender, random.pick(options), name, depth + 1);
  if (node.allOf) return generateValue(random, sender, node.allOf[0] ?? {}, name, depth + 1);
  if (node.const !== undefined) return node.const;
  if (node.enum) return random.pick(node.enum);
  const type = Array.isArray(node.type) ? random.pick(node.type) : node.type;
  switch (type) {
    case "object":
      return generateObject(random, sender, node, name, depth);
    case "array":
      return generateArray(random, sender, node, name, depth);
    case "string":
      return generateText(random, sender, node, name);
    case "integer":
    case "number":
      return generateNumber(random, node, type === "integer");
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return random.pick([null, 1, "text", [], {}]);
  }
}

function generateObject(random: Random, sender: Sender, node: Schema, name: string, depth: number): unknown {
  const required = new Set(node.required ?? []);
  const result: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    if (!required.has(key) && (depth > MAX_DEPTH || !random.chance(0.4))) continue;
    result[key] = generateValue(random, sender, property, key === "id" ? name : key, depth + 1);
  }
  if (typeof node.additionalProperties === "object" && depth < MAX_DEPTH) {
    const value = node.additionalProperties;
    for (let at = 0; at < random.int(3); at++)
      result[String(at)] = generateValue(random, sender, value, name, depth + 1);
  }
  return result;
}

function generateArray(random: Random, sender: Sender, node: Schema, name: string, depth: number): unknown[] {
  const min = node.minItems ?? 0;
  const length = depth > MAX_DEPTH ? min : random.between(min, Math.min(node.maxItems ?? 3, min + 2));
  return Array.from({ length }, () => generateValue(random, sender, node.items ?? {}, name, depth + 1));
}

function generateNumber(random: Random, node: Schema, integer: boolean): number {
  const min = node.minimum ?? (node.exclusiveMinimum === undefined ? 0 : node.exclusiveMinimum + 1);
  const max = Math.min(node.maximum ?? min + 10_000, min + 1e9);
  if (random.chance(0.2)) return random.pick([min, max]);
  return integer ? random.between(min, max) : min + random.next() * (max - min);
}

const TEXTS = [
  "tea",
  "Lamp that folds flat",
  "north.light",
  "en",
  "#tea",
  "25",
  "2026-11-20",
  "Caf\u00E9 \u{1F375}",
  "4:5",
];
const SAMPLES = [
  ...TEXTS,
  "9:16",
  "0",
  "3",
  "#ff0000",
  "https://x.com/i/communities/12",
  '"d41d8cd98f00b204e9800998ecf8427e"',
  "en-US",
  "2026-11-20T18:00:00.000Z",
];

function generateText(random: Random, sender: Sender, node: Schema, name: string): string {
  if (node.format === "uuid" || UUID_FORMAT.test(node.pattern ?? "")) return pickId(random, sender, name);
  if (node.format === "uri" || /url/i.test(name)) return pickUrl(random, sender);
  if (node.format === "date-time" || /_at$|since|until/.test(name)) return pickInstant(random);
  if (node.format === "date") return pickInstant(random).slice(0, 10);
  if (node.pattern) {
    const pattern = new RegExp(node.pattern, "u");
    return random.pick(SAMPLES.filter((sample) => pattern.test(sample)).concat("tea"));
  }
  const text = random.pick(TEXTS);
  if (!random.chance(0.1) || node.maxLength === undefined) return text.slice(0, node.maxLength);
  return "x".repeat(Math.min(node.maxLength + random.between(-1, 1), 70_000));
}

/** Only addresses of the local stack and such as are never fetched: the test needs no internet. */
function pickUrl(random: Random, { tenant, others }: Sender): string {
  const own = random.pick(tenant.fileUrls);
  const urls = [own, own, own, random.pick(random.pick(others).fileUrls), `${own}x`, "http://127.0.0.1:1/a.jpg"];
  return random.pick([...urls, "http://10.0.0.1/a.jpg", "https://intranet/a.mp4"]);
}

function pickInstant(random: Random): string {
  const hours = random.pick([-100_000, -1, 24, 24, 24, 48, 1_000, 1_000_000]);
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
