// Connect links, consents and approval links of a scope are found by index in large tables.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listOpenConnectLinks } from "../../lib/queries/connect-links.ts";
import { removeMember } from "../../lib/queries/member-access.ts";
import { emptySandbox } from "../../lib/queries/sandbox-reset.ts";
import { listEndingApprovals } from "../../lib/queries/sandbox-runs.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";
import { explainQueries } from "../support/query-plans.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";

const BIG = ["connect_links", "connections", "approval_links"];
const NOW = new Date();

/** A separate database, so that other tests do not wait for the large inserts. */
let database: Database;
let db: Db;
const ownerId = newId();
const workspaceId = newId();

beforeAll(async () => {
  ({ database, db } = await openSeparateDatabase("explain"));
  // One row in a hundred is of the scope; the posts of the approval links are left out.
  const tenant = `gen_random_uuid(), case when n % 100 = 0 then '${workspaceId}'::uuid else gen_random_uuid() end`;
  const ends = "now() + n * interval '1 minute'";
  await database.exec(`
    set session_replication_role = replica;
    insert into connect_links (id, owner_id, workspace_id, token_hash, expires_at)
      select gen_random_uuid(), ${tenant}, n, ${ends} from generate_series(1, 20000) n;
    insert into connections (id, owner_id, workspace_id, platform, browser_hash, status, secrets, expires_at)
      select gen_random_uuid(), ${tenant}, 'tiktok', n, 'started', '', ${ends} from generate_series(1, 20000) n;
    insert into approval_links (id, owner_id, workspace_id, post_id, token_hash, post_version, plan_hash, recipient, expires_at)
      select gen_random_uuid(), ${tenant}, gen_random_uuid(), n, 1, '', '', ${ends} from generate_series(1, 20000) n;
    reset session_replication_role;
    analyze`);
}, 120_000);

afterAll(async () => {
  await database.close();
});

const account = {
  id: newId(),
  platform: "tiktok",
  type: "byo",
  status: "active",
  username: "a",
  displayName: "a",
} as const;
const withoutToken = { externalId: "a", accessToken: null, refreshToken: null, tokenExpiresAt: null };

test.each<[string, string[], () => PromiseLike<unknown>]>([
  ["listing open connect links", ["connect_links_scope"], () => listOpenConnectLinks(db, workspaceId, NOW)],
  [
    "listing approval links that end",
    ["approval_links_scope"],
    () => listEndingApprovals(db, workspaceId, NOW, new Date(NOW.getTime() + 1)),
  ],
  [
    "removing a member",
    ["approval_links_scope", "connect_links_scope"],
    () => removeMember(db, { workspaceId, memberId: ownerId }, { keys: [], now: NOW }),
  ],
  [
    "emptying a test scope",
    ["approval_links_scope", "connect_links_scope", "connections_scope"],
    () => emptySandbox(db, { ownerId, workspaceId }, [{ ...account, ...withoutToken }], NOW),
  ],
])("%s uses %j", async (_, wanted, work) => {
  const plans = await explainQueries(database, work);
  expect(plans.flatMap(({ scanned }) => scanned).filter((table) => BIG.includes(table))).toEqual([]);
  expect(plans.flatMap(({ indexes }) => indexes)).toEqual(expect.arrayContaining(wanted));
});
