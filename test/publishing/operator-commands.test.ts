// `npm run admin -- deliveries stuck|show|requeue|fail` against the database of the tests.
import { type SQL, sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { callAdmin } from "../commands/run-admin.ts";
import {
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  queryRows,
} from "../support/harness.ts";

const runAdmin = (verb: "stuck" | "show" | "requeue" | "fail", ...args: string[]): Promise<string> =>
  callAdmin(openTestDatabase(), ["deliveries", verb, ...args]).catch((error: Error) => error.message);

async function createDelivery(change: SQL) {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const { body } = await tenant.api.post("/posts", { caption: "a", accounts: [{ id: account.id }] });
  const [row] = await queryRows<{ id: string }>(
    sql`update post_deliveries set ${change} where post_id = ${body.data.id} returning id`,
  );
  const readState = async () => (await tenant.api.get(`/posts/${body.data.id}`)).body.data.accounts.states[0];
  return { id: row?.id ?? "", tenant, account, readState };
}

const LATE = sql`due_at = now() - interval '20 minutes', next_attempt_at = now() + interval '1 hour', status = 'retry',
  error_code = 'rate_limited', error_message = 'Limited.', attempts = 1`;

test("stuck lists late deliveries with what holds them, and show has the trace", async () => {
  const { id, tenant, account } = await createDelivery(LATE);
  const line = (await runAdmin("stuck")).split("\n").find((text) => text.startsWith(id));
  expect(line).toContain(`20 min late  bluesky ${account.username}  scope ${tenant.workspaceId}  retry/new`);
  expect(line).toContain("rate_limited");
  expect(await runAdmin("stuck", "--minutes", "30")).not.toContain(id);
  const shown = await runAdmin("show", "--id", id);
  expect(shown).toContain("errorMessage   Limited.");
  expect(shown).toContain("trace          none");
  expect(await runAdmin("show", "--id", newId())).toContain("There is no delivery");
  expect(await runAdmin("show", "--id", "x")).toContain("must be the UUID");
});

test("requeue makes a delivery due now, which then publishes, and is in the trace", async () => {
  const { id, readState } = await createDelivery(LATE);
  expect(await runAdmin("requeue", "--id", id)).toContain("is due now");
  await publishDue(createTestPublisher(new Date()).services, [id]);
  expect(await readState()).toMatchObject({ status: "posted" });
  expect(await runAdmin("show", "--id", id)).toMatch(/operator: requeued[\s\S]*publish: posted/);
  expect(await runAdmin("requeue", "--id", id)).toContain(`${id} is posted: nothing was changed`);
});

test("requeue opens a failed delivery again; one that may be published keeps its stage and is reconciled first", async () => {
  const failed = sql`status = 'failed', next_attempt_at = null, attempts = 5, deadline_at = now()`;
  const [unsent, armed] = [
    await createDelivery(sql`${failed}, stage = 'done'`),
    await createDelivery(sql`${failed}, stage = 'armed', handle = '{"rkey": "a"}'`),
  ];
  for (const { id } of [unsent, armed]) expect(await runAdmin("requeue", "--id", id)).toContain("is due now");
  const rows = await queryRows<{ stage: string; status: string; attempts: number; open: boolean }>(
    sql`select stage, status, attempts, deadline_at > now() + interval '23 hours' as open from post_deliveries
      where id in (${unsent.id}, ${armed.id}) order by stage`,
  );
  expect(rows).toEqual([
    { stage: "armed", status: "pending", attempts: 0, open: true },
    { stage: "new", status: "pending", attempts: 0, open: true },
  ]);
});

test("fail ends a delivery with a reason that its owner reads; one that may be published needs a confirmation", async () => {
  const { id, readState } = await createDelivery(LATE);
  expect(await runAdmin("fail", "--id", id, "--reason", "The account was sold.")).toContain("is failed");
  expect(await readState()).toMatchObject({
    status: "failed",
    error_code: "failed_by_operator",
    error_message: "The account was sold.",
    next_attempt_at: null,
  });
  const armed = await createDelivery(sql`${LATE}, stage = 'armed'`);
  const args = ["--id", armed.id, "--reason", "Checked by hand."];
  expect(await runAdmin("fail", ...args)).toContain("--confirm may-be-published");
  expect(await runAdmin("fail", ...args, "--confirm", "yes")).toContain("--confirm must be");
  expect(await runAdmin("fail", ...args, "--confirm", "may-be-published")).toContain("is failed");
  expect(await armed.readState()).toMatchObject({ status: "failed", error_code: "outcome_unknown" });
});

test("neither changes a delivery that a worker holds", async () => {
  const { id } = await createDelivery(
    sql`${LATE}, lease_token = ${newId()}, lease_until = now() + interval '1 minute'`,
  );
  expect(await runAdmin("requeue", "--id", id)).toContain("A worker holds");
  expect(await runAdmin("fail", "--id", id, "--reason", "a")).toContain("A worker holds");
});
