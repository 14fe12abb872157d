// The tenants that send the requests: each has records of every kind, whose ids and names no other tenant may see.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { insertProduct } from "../../lib/queries/products.ts";
import {
  insertAccount,
  insertKey,
  insertOwner,
  insertWorkspace,
  savePlan,
  type TenantIds,
} from "../../lib/queries/tenants.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { at } from "../../lib/shared/at.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import type { LocalStack } from "../local/stack.ts";
import { buildGradientRows, buildPng } from "../media/png-writer.ts";

export const KINDS = [
  "account",
  "product",
  "file",
  "pendingFile",
  "upload",
  "post",
  "slideshow",
  "template",
  "pack",
  "packImage",
  "folder",
  "project",
  "target",
  "refresh",
] as const;
export type Kind = (typeof KINDS)[number];

/** The number of records of each kind. */
const SLOTS = 3;
/** Every name that belongs to a tenant contains a mark, so that responses can be searched for names. */
export const MARK = /mark[0-9a-f]{16}/g;

export interface Tenant {
  index: number;
  token: string;
  scope: TenantIds;
  /** One id per slot. */
  records: Record<Kind, string[]>;
  fileUrls: string[];
  /** Occur in the names and access tokens of the tenant's records. */
  marks: string[];
}

const DEMO_VIDEO = join(import.meta.dirname, "../local/demo.mp4");
const [WIDTH, HEIGHT] = [64, 80];
const PLATFORMS = ["bluesky", "threads", "tiktok"] as const;
const TARGETS = ["youtube", "youtube", "youtube"] as const;

function addMark(marks: string[]): string {
  const mark = `mark${randomBytes(8).toString("hex")}`;
  marks.push(mark);
  return mark;
}

/** Creates tenants with their records; the last one has a personal key. */
export async function createTenants(stack: LocalStack, workerUrl: string, count: number): Promise<Tenant[]> {
  const created: Tenant[] = [];
  for (let index = 0; index < count; index++) {
    const tenant = await createTenant(stack, index, index === count - 1);
    for (const kind of KINDS) {
      for (let slot = 0; slot < SLOTS; slot++) await createRecord(stack, workerUrl, tenant, kind, slot);
    }
    created.push(tenant);
  }
  return created;
}

async function createTenant(stack: LocalStack, index: number, personal: boolean): Promise<Tenant> {
  const db = openDatabase(stack.databaseConfig, "hostile");
  const marks: string[] = [];
  const createName = () => addMark(marks);
  const owner = await insertOwner(db, {
    id: newId(),
    email: `${createName()}@example.com`,
    name: createName(),
  });
  const scope = personal
    ? owner
    : await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: createName() });
  await savePlan(db, scope, newId(), { tier: "professional", status: "active", paidUntil: null });
  const token = await insertKey(db, scope, { id: newId(), name: createName(), kind: "key", expiresAt: null });
  const records = Object.fromEntries(KINDS.map((kind) => [kind, [] as string[]])) as Tenant["records"];
  return { index, token, scope, records, fileUrls: [], marks };
}

async function createRecord(
  stack: LocalStack,
  workerUrl: string,
  tenant: Tenant,
  kind: Kind,
  slot: number,
): Promise<void> {
  const { records, fileUrls } = tenant;
  const createName = () => addMark(tenant.marks);
  const first = (of: Kind) => records[of][slot] ?? at(records[of], 0);
  const post = async <Data>(path: string, body: unknown): Promise<Data> =>
    callApi<Data>(workerUrl, tenant.token, "POST", path, body);

  async function uploadFile(): Promise<string> {
    const isVideo = slot === 0;
    const bytes = isVideo
      ? new Uint8Array(await readFile(DEMO_VIDEO))
      : buildPng(WIDTH, HEIGHT, buildGradientRows(WIDTH, HEIGHT));
    const contentType = isVideo ? "video/mp4" : "image/png";
    const started = await post<{ id: string; uploadUrl: string; headers: Record<string, string> }>("/files", {
      contentType,
      filename: `${createName()}.${isVideo ? "mp4" : "png"}`,
    });
    const put = await fetch(started.uploadUrl, {
      method: "PUT",
      headers: started.headers,
      body: new Uint8Array(bytes),
    });
    if (!put.ok) throw new Error(`The storage returned ${put.status}: ${await put.text()}`);
    await put.arrayBuffer();
    const { file } = await post<{ file: { id: string; url: string } }>(`/files/${started.id}/finalize`, {});
    fileUrls[slot] = file.url;
    return file.id;
  }

  async function connectAccount(): Promise<string> {
    const id = newId();
    const [accessToken, refreshToken, username] = [createName(), createName(), createName()];
    const platform = PLATFORMS[slot] ?? "bluesky";
    const externalId = toExternalId(platform, randomBytes(6).readUIntBE(0, 6));
    const key = stack.vars.TOKEN_KEY ?? "";
    await insertAccount(openDatabase(stack.databaseConfig, "hostile"), tenant.scope, {
      id,
      platform,
      type: "byo",
      status: "active",
      username,
      displayName: username,
      externalId,
      ...(await encryptTokens({ current: key }, id, { accessToken, refreshToken })),
      tokenExpiresAt: null,
    });
    stack.networks.register({ platform, externalId, accessToken, refreshToken, username });
    return id;
  }

  async function createProduct(): Promise<string> {
    const id = newId();
    const product = { id, name: createName(), description: createName() };
    await insertProduct(openDatabase(stack.databaseConfig, "hostile"), tenant.scope, product);
    return id;
  }

  const slide = () => ({ text_elements: [{ content: createName(), x: 50, y: 40 }], image_url: null });
  const createId = async (path: string, body: unknown) => (await post<{ id: string }>(path, body)).id;
  const creators: Record<Kind, () => Promise<string>> = {
    account: connectAccount,
    product: createProduct,
    file: uploadFile,
    pendingFile: () => createId("/files", { contentType: "image/png", filename: `${createName()}.png` }),
    upload: () =>
      createId("/files/multipart", { contentType: "video/mp4", filename: `${createName()}.mp4`, size: 12_000_000 }),
    post: () =>
      createId("/posts", {
        caption: createName(),
        accounts: [{ id: records.account[slot % 2] }],
        scheduled_at: new Date(Date.now() + DAY_MS).toISOString(),
        external_id: createName(),
      }),
    slideshow: () => createId("/slideshows", { title: createName(), slides: [slide()] }),
    template: () => createId("/templates", { name: createName(), config: buildTemplateConfig(tenant) }),
    pack: () => createId("/packs", { name: createName() }),
    packImage: () => createId(`/packs/${first("pack")}/images`, { image_url: fileUrls[1], file_name: createName() }),
    folder: () => createId("/folders", { name: createName(), media_type: slot === 2 ? "slideshow" : "upload" }),
    project: async () => {
      const body = { title: createName(), file_ids: [records.file[0]] };
      return (await post<{ project_id: string }>("/editor/projects", body)).project_id;
    },
    target: async () => {
      const body = { platform: TARGETS[slot], identifier: createName(), alias: createName() };
      return (await post<{ target: { id: string } }>("/analytics/targets", body)).target.id;
    },
    refresh: async () => {
      const path = `/analytics/targets/${first("target")}/refresh`;
      return (await post<{ refresh: { id: string } }>(path, {})).refresh.id;
    },
  };
  records[kind][slot] = await creators[kind]();
}

/** Queries for the ids that still name a record; records of other kinds are not deleted by requests. */
const TABLES: Partial<Record<Kind, string>> = {
  account: "accounts where status = 'active'",
  file: "files",
  pendingFile: "uploads where state = 'open'",
  upload: "uploads where state = 'open'",
  post: "posts",
  slideshow: "slideshows",
  template: "templates",
  pack: "packs",
  packImage: "pack_images",
  folder: "folders",
  project: "editor_projects",
  target: "analytics_targets",
  refresh: "analytics_refreshes",
};

/** Creates again what requests have deleted. */
export async function restoreRecords(stack: LocalStack, workerUrl: string, list: readonly Tenant[]): Promise<void> {
  for (const kind of KINDS) {
    const table = TABLES[kind];
    if (!table) continue;
    const present = new Set(
      (await stack.database.query<{ id: string }>(`select id from ${table}`)).map(({ id }) => id),
    );
    for (const tenant of list) {
      for (const [slot, id] of tenant.records[kind].entries()) {
        if (!present.has(id)) await createRecord(stack, workerUrl, tenant, kind, slot);
      }
    }
  }
}

/** A config with two slides, one of a pack and one with an image of its own. */
export function buildTemplateConfig({ records, fileUrls }: Tenant) {
  const textElement = { id: newId(), content: "Text", x: 50, y: 25.5, fontSize: 48, width: 80 };
  const image = { id: newId(), url: fileUrls[1], name: "image.png" };
  return {
    version: 1,
    structure: {
      slides: [
        { type: "pack", id: newId(), pinnedImageUrl: null, textElements: [textElement] },
        { type: "custom", id: newId(), image, textElements: [] },
      ],
      packAssignments: { "0": records.pack[0] ?? newId() },
    },
    content: {
      mode: "manual",
      prompt: "Five things about lamps",
      productId: records.product[0] ?? null,
      language: "pt-BR",
      slideshowType: "educational",
    },
    visuals: {
      packId: records.pack[0] ?? null,
      aspectRatio: "4:5",
      textSettings: { fontSize: "default", preset: "tiktok", width: "default" },
    },
  };
}

async function callApi<Data>(
  workerUrl: string,
  token: string,
  method: string,
  path: string,
  body: unknown,
): Promise<Data> {
  const response = await fetch(`${workerUrl}${BASE_PATH}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "idempotency-key": newId() },
    body: JSON.stringify(body),
  });
  const envelope = (await response.json()) as { ok: boolean; data: Data };
  if (!envelope.ok) throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(envelope)}`);
  return envelope.data;
}
