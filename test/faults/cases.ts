// The cases of the fault suite: each has its own post and account, so that cases are independent.
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import { insertOwner, insertWorkspace, type TenantIds } from "../../lib/queries/tenants.ts";
import type { Services } from "../../lib/services/context.ts";
import { planParts } from "../../lib/shared/post-content.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import { listDefaultScopes, listLeastScopes, listOptionalScopes } from "../local/networks/permissions/table.ts";
import type { ExternalServices } from "./external-services.ts";
import { LASTING_FAULTS, type Plan } from "./fault-plans.ts";
import type { PostKind } from "./post-kinds.ts";

export interface Case {
  kind: PostKind;
  /** Null for a case without a fault. */
  plan: Plan | null;
  deliveryId: string;
  accountId: string;
  /** The network's id of the account. */
  externalId: string;
  /** An earlier case with the same post on the same account. */
  twin: Case | null;
  deadlineAt: Date;
}

/** A lasting fault runs until the deadline, so its deadline is short. */
const LASTING_FAULT_DEADLINE_MS = 30 * 60_000;
const BATCH_SIZE = 200;

export type CaseRequest = Pick<Case, "kind" | "plan" | "twin">;

/** The owner of all cases of a run: a twin is published for the account of an earlier case. */
export async function createCaseTenant({ db }: Services): Promise<TenantIds> {
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Faults" });
  return insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Faults" });
}

export async function mintCases(
  services: Services,
  external: ExternalServices,
  tenant: TenantIds,
  wanted: CaseRequest[],
): Promise<Case[]> {
  const cases: Case[] = [];
  for (let first = 0; first < wanted.length; first += BATCH_SIZE) {
    cases.push(...(await mintBatch(services, external, tenant, wanted.slice(first, first + BATCH_SIZE))));
  }
  // Updates the planner statistics after the bulk insert.
  await services.db.execute(sql`analyze accounts, posts, post_deliveries`);
  return cases;
}

async function mintBatch(services: Services, external: ExternalServices, tenant: TenantIds, wanted: CaseRequest[]) {
  const now = services.clock();
  const minted = wanted.map(({ kind, plan, twin }) => {
    const within = plan && LASTING_FAULTS.has(plan.fault) ? LASTING_FAULT_DEADLINE_MS : DEADLINE_AFTER_DUE_MS;
    const deadlineAt = new Date(now.getTime() + within);
    const externalId = twin?.externalId ?? toExternalId(kind.platform, randomBytes(6).readUIntBE(0, 6));
    const accountId = twin?.accountId ?? newId();
    return { kind, plan, twin, deliveryId: newId(), externalId, deadlineAt, accountId, postId: newId() };
  });
  const newcomers = minted.filter(({ twin }) => twin === null);
  const rows = await Promise.all(newcomers.map((one) => connectAccount(services, external, one)));
  if (rows.length > 0) await services.db.insert(accounts).values(rows.map((row) => ({ ...row, ...tenant })));
  await insertPosts(services, tenant, minted);
  return minted;
}

/** Builds the row of an account and registers the account at its fake network. */
async function connectAccount(
  services: Services,
  external: ExternalServices,
  { kind, accountId, externalId }: MintedCase,
) {
  const { platform } = kind;
  const username = `user${externalId}`;
  const [accessToken, refreshToken] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")];
  // Accounts of X edit posts with Premium alone.
  const facts = { boards: [externalId], premium: true };
  // Replies and comments whose answer was lost are found again by permissions of their own.
  const as = platform === "linkedin" ? "page" : "member";
  const hasParts = kind.thread !== undefined || kind.firstComment !== undefined;
  const more = kind.cannotList ? listDefaultScopes(platform, as) : listOptionalScopes(platform, as);
  const scopes = hasParts ? [...listLeastScopes(platform, as), ...more] : undefined;
  external.networks.register({
    ...{ platform, externalId, accessToken, refreshToken, username, facts },
    ...(scopes ? { scopes } : {}),
  });
  const key = services.env.TOKEN_KEY;
  return {
    id: accountId,
    platform,
    type: "byo" as const,
    status: "active" as const,
    username,
    displayName: username,
    externalId,
    ...(await encryptTokens({ current: key }, accountId, { accessToken, refreshToken })),
    tokenExpiresAt: null,
  };
}

type MintedCase = Case & { postId: string };

async function insertPosts({ db, clock }: Services, { ownerId, workspaceId }: TenantIds, minted: MintedCase[]) {
  const now = clock().toISOString();
  const rows = minted.map(({ kind, deliveryId, accountId, externalId, postId, deadlineAt }) => ({
    post_id: postId,
    delivery_id: deliveryId,
    account_id: accountId,
    deadline_at: deadlineAt,
    media: kind.media,
    thread: kind.thread ?? null,
    first_comment: kind.firstComment ?? null,
    parts: planParts(
      { thread: kind.thread ?? null, firstComment: kind.firstComment ?? null, overrides: [] },
      accountId,
    ),
    pinterest: kind.platform === "pinterest" ? { board_id: externalId } : null,
    settings: kind.settings ?? {},
  }));
  await db.execute(sql`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(post_id uuid, delivery_id uuid,
        account_id uuid, deadline_at timestamptz, media jsonb, pinterest jsonb, thread jsonb, first_comment text, parts jsonb, settings jsonb)
    ), p as (
      insert into posts (id, owner_id, workspace_id, caption, status, media, thread, first_comment, pinterest, settings, metadata, payload_hash,
        created_at, updated_at)
      select post_id, ${ownerId}, ${workspaceId}, 'Published once or failed', 'pending', nullif(media, 'null'),
        nullif(thread, 'null'), first_comment, nullif(pinterest, 'null'), settings, '{}', '', ${now}, ${now} from wanted
      returning id
    )
    insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at, parts)
    select w.delivery_id, p.id, w.account_id, 0, 'pending', ${now}, ${now}, w.deadline_at, nullif(w.parts, 'null')
    from wanted w join p on p.id = w.post_id`);
}
