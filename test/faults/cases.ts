// The cases of the fault suite: each a post of its own on an account of its own, so that cases never meet.
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { accounts } from "../../drizzle/schema/accounts.ts";
import type { World } from "../../lib/call.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { seal } from "../../lib/secrets.ts";
import { LASTING, type Plan } from "./faults.ts";
import type { Kind } from "./kinds.ts";
import type { Outside } from "./outside.ts";

export interface Case {
  kind: Kind;
  /** Null: nothing goes wrong. */
  plan: Plan | null;
  deliveryId: string;
  accountId: string;
  /** The network's own id of the account. */
  externalId: string;
  /** The same post, which went out on the same account shortly before. */
  twin: Case | null;
  deadlineAt: Date;
}

/** A fault that never ends is looked at until the deadline, so that one is near. */
const LASTING_DEADLINE_MS = 30 * 60_000;
const ROWS_AT_ONCE = 200;

export type Wanted = Pick<Case, "kind" | "plan" | "twin">;

export async function mintCases(world: World, outside: Outside, wanted: Wanted[]): Promise<Case[]> {
  const owner = await tenants.createOwner(world.db, { id: newId(), email: `${newId()}@example.com`, name: "Faults" });
  const tenant = await tenants.createWorkspace(world.db, { id: newId(), ownerId: owner.ownerId, name: "Faults" });
  const cases: Case[] = [];
  for (let first = 0; first < wanted.length; first += ROWS_AT_ONCE) {
    cases.push(...(await mintSome(world, outside, tenant, wanted.slice(first, first + ROWS_AT_ONCE))));
  }
  // So many rows at once are planned for badly until they are counted.
  await world.db.execute(sql`analyze accounts, posts, post_deliveries`);
  return cases;
}

async function mintSome(world: World, outside: Outside, tenant: tenants.Tenant, wanted: Wanted[]) {
  const now = world.clock();
  const minted = wanted.map(({ kind, plan, twin }) => {
    const within = plan && LASTING.has(plan.fault) ? LASTING_DEADLINE_MS : DEADLINE_AFTER_DUE_MS;
    const deadlineAt = new Date(now.getTime() + within);
    const externalId = twin?.externalId ?? String(randomBytes(6).readUIntBE(0, 6));
    const accountId = twin?.accountId ?? newId();
    return { kind, plan, twin, deliveryId: newId(), externalId, deadlineAt, accountId, postId: newId() };
  });
  const newcomers = minted.filter(({ twin }) => twin === null);
  const rows = await Promise.all(newcomers.map((one) => connected(world, outside, one)));
  if (rows.length > 0) await world.db.insert(accounts).values(rows.map((row) => ({ ...row, ...tenant })));
  await insertPosts(world, tenant, minted);
  return minted;
}

/** The account's row; its network knows it too. */
async function connected(world: World, outside: Outside, { kind, accountId, externalId }: Minted) {
  const { platform } = kind;
  const username = `user${externalId}`;
  const [accessToken, refreshToken] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")];
  const facts = { boards: [externalId] };
  outside.networks.register({ platform, externalId, accessToken, refreshToken, username, facts });
  const key = world.env.TOKEN_KEY;
  return {
    id: accountId,
    platform,
    type: "byo" as const,
    status: "active" as const,
    username,
    displayName: username,
    externalId,
    accessToken: await seal(key, accessToken),
    refreshToken: await seal(key, refreshToken),
    tokenExpiresAt: null,
  };
}

type Minted = Case & { postId: string };

async function insertPosts({ db, clock }: World, { ownerId, workspaceId }: tenants.Tenant, minted: Minted[]) {
  const now = clock().toISOString();
  const rows = minted.map(({ kind, deliveryId, accountId, externalId, postId, deadlineAt }) => ({
    post_id: postId,
    delivery_id: deliveryId,
    account_id: accountId,
    deadline_at: deadlineAt,
    media: kind.media,
    pinterest: kind.platform === "pinterest" ? { board_id: externalId } : null,
  }));
  await db.execute(sql`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(post_id uuid, delivery_id uuid,
        account_id uuid, deadline_at timestamptz, media jsonb, pinterest jsonb)
    ), p as (
      insert into posts (id, owner_id, workspace_id, caption, status, media, pinterest, settings, metadata, payload_hash,
        created_at, updated_at)
      select post_id, ${ownerId}, ${workspaceId}, 'Out once, or told why not', 'pending', nullif(media, 'null'),
        nullif(pinterest, 'null'), '{}', '{}', '', ${now}, ${now} from wanted
      returning id
    )
    insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at)
    select w.delivery_id, p.id, w.account_id, 0, 'pending', ${now}, ${now}, w.deadline_at
    from wanted w join p on p.id = w.post_id`);
}
