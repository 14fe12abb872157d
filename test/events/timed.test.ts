// Events that no request causes: a connection that ends soon, and a deployment that describes the API otherwise.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { writeTimedEvents } from "../../functions/cron/events.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { createTestAccount, createTestPublisher, createTestTenant, queryRows } from "../support/harness.ts";
import { openDeployment } from "./provoke.ts";

test("account.reconnect_soon comes once per end of a connection, and not for one that is renewed", async () => {
  const tenant = await createTestTenant();
  const now = new Date();
  const end = new Date(now.getTime() + 6 * DAY_MS);
  const ending = await createTestAccount(tenant, "linkedin", { tokenExpiresAt: end });
  await queryRows(sql`update accounts set refresh_token = null where id = ${ending.id}`);
  await createTestAccount(tenant, "threads", { tokenExpiresAt: end });
  const { services, advance } = createTestPublisher(now);
  const list = async () => (await tenant.api.get("/events?types=account.reconnect_soon")).body.data.events;
  await writeTimedEvents(services);
  advance(60_000);
  await writeTimedEvents(services);
  const [event, ...more] = await list();
  expect(more).toEqual([]);
  expect(event.data.object).toMatchObject({ id: ending.id, reconnect_by: end.toISOString() });
  const next = new Date(now.getTime() + 5 * DAY_MS);
  await queryRows(
    sql`update accounts set token_expires_at = ${next.toISOString()}::timestamptz where id = ${ending.id}`,
  );
  await writeTimedEvents(services);
  expect(await list()).toHaveLength(2);
});

test("account.reconnect_soon comes beside a thousand connections that are renewed", async () => {
  const tenant = await createTestTenant();
  const now = new Date();
  const end = (days: number) => ({ tokenExpiresAt: new Date(now.getTime() + days * DAY_MS) });
  const renewed = await createTestAccount(tenant, "threads", end(5));
  await queryRows(sql`
    insert into accounts (id, workspace_id, owner_id, platform, type, username, display_name, external_id, status, token_expires_at)
    select gen_random_uuid(), workspace_id, owner_id, platform, type, username, display_name, external_id || '-' || number, status,
      token_expires_at
    from accounts, generate_series(1, 1000) number where accounts.id = ${renewed.id}`);
  const { id } = await createTestAccount(tenant, "linkedin", end(6));
  await queryRows(sql`update accounts set refresh_token = null where id = ${id}`);
  await writeTimedEvents(createTestPublisher(now).services);
  const { events } = (await tenant.api.get("/events?types=account.reconnect_soon")).body.data;
  expect(events.map((event: { data: { object: { id: string } } }) => event.data.object.id)).toEqual([id]);
});

test("api.changed comes to every scope with a plan when a deployment has another document", async () => {
  const { deploy, listEvents, close } = await openDeployment();
  onTestFinished(close);
  const document = readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8");
  expect(await deploy(document)).toBe(0);
  expect(await deploy(document)).toBe(0);
  expect(await deploy(`${document} `)).toBe(1);
  expect(await deploy(`${document} `)).toBe(0);
  const [event, ...more] = await listEvents();
  expect(more).toEqual([]);
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(event.type).toBe("api.changed");
  expect(event.data.object).toEqual({
    version: JSON.parse(document).info.version,
    openapi_sha256: hash,
    previous_sha256: hash,
  });
  // Going back is a change, too.
  expect(await deploy(document)).toBe(1);
});
