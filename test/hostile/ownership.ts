// Which tenant an id, name or token belongs to, so that none is shown to another.
import { at } from "../../lib/shared/at.ts";
import type { HostileRequest } from "./generate-request.ts";
import { MARK, type Tenant } from "./tenants.ts";

export type Ownership = ReturnType<typeof createOwnership>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const CONSTANT_IDS = new Set([
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "11111111-1111-1111-1111-111111111111",
]);

export function createOwnership(tenants: readonly Tenant[]) {
  const ownerByText = new Map<string, number>();
  /** By tenant: what its own requests contained, and what its records may therefore repeat. */
  const sent = tenants.map(() => new Set<string>());
  /** Occur in packs that their owners made public. */
  const published = new Set<string>();
  const secrets = tenants.map(({ token }) => at(token.split("."), 1));

  /** To be called before the request is sent. */
  function noteSent({ tenant, path, headers, body }: HostileRequest): void {
    for (const text of findTexts(
      `${decode(path)} ${headers["idempotency-key"] ?? ""} ${body?.toString("utf8") ?? ""}`,
    )) {
      sent[tenant.index]?.add(text);
    }
  }

  /** Texts that are seen first in a response belong to the tenant that received it. */
  function check({ tenant }: HostileRequest, response: string, status: number): string[] {
    const violations: string[] = [];
    for (const text of findPublicTexts(response)) published.add(text);
    for (const text of findTexts(response)) {
      if (published.has(text) || sent[tenant.index]?.has(text)) continue;
      const owner = ownerByText.get(text);
      if (owner === undefined) {
        if (status < 300) ownerByText.set(text, tenant.index);
      } else if (owner !== tenant.index) {
        violations.push(`shows ${text} of tenant ${owner} to tenant ${tenant.index}`);
      }
    }
    if (secrets.some((secret) => response.includes(secret))) violations.push("shows the secret of a key");
    return violations;
  }

  /** Registers the ids and names of the tenant's records. */
  function register({ index, records, scope, marks }: Tenant): void {
    const ids = [...Object.values(records).flat(), scope.ownerId, scope.workspaceId ?? scope.ownerId];
    for (const id of [...ids, ...marks]) ownerByText.set(id, index);
  }
  for (const tenant of tenants) register(tenant);

  return { noteSent, check, register };
}

function findTexts(text: string): Set<string> {
  const lower = text.toLowerCase();
  const found = new Set([...(lower.match(UUID) ?? []), ...(lower.match(MARK) ?? [])]);
  for (const id of CONSTANT_IDS) found.delete(id);
  return found;
}

/** Everything in objects that say `is_public: true`. */
function findPublicTexts(response: string): Set<string> {
  const found: string[] = [];
  if (response.includes('"is_public":true')) {
    JSON.parse(response, (_key, value: unknown) => {
      const isPublic = typeof value === "object" && value !== null && "is_public" in value && value.is_public === true;
      if (isPublic) found.push(JSON.stringify(value));
      return value;
    });
  }
  return findTexts(found.join(" "));
}

function decode(path: string): string {
  try {
    return `${path} ${decodeURIComponent(path)}`;
  } catch {
    return path;
  }
}
