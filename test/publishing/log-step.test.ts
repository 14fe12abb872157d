// An operator sees of publishing one log line and one data point per finished step and per cleanup.
import { expect, test } from "vitest";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { type DataPoint, openMetrics } from "../../lib/services/metrics.ts";
import { callControl, createTestAccount, createTestPublisher, createTestTenant } from "../support/harness.ts";

async function createDuePost() {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const answer = await tenant.api.post("/posts", { caption: "hello", accounts: [{ id: account.id }] });
  expect(answer.status).toBe(201);
  return { tenant, account, deliveryId: tenant.api.enqueuedDeliveries.at(-1)?.deliveryIds[0] ?? "" };
}

function createObservedPublisher(laterMs: number) {
  const lines: Record<string, unknown>[] = [];
  const points: DataPoint[] = [];
  const { services } = createTestPublisher(new Date(Date.now() + laterMs), {
    log: (line) => lines.push(line),
    metrics: { write: (point) => points.push(point) },
  });
  return { lines, points, services };
}

test("each step of a delivery is one line and one data point, with its lateness and duration", async () => {
  const { tenant, deliveryId } = await createDuePost();
  const { lines, points, services } = createObservedPublisher(5_000);
  await publishDue(services, [deliveryId]);
  const steps = lines.filter((line) => line.delivery === deliveryId);
  expect(steps.map(({ step, outcome }) => [step, outcome])).toEqual([
    ["arm", "armed"],
    ["publish", "posted"],
  ]);
  for (const line of steps) {
    expect(line).toMatchObject({ level: "info", scope: tenant.workspaceId, network: "bluesky", code: null });
    expect(line.lateness_ms).toBeGreaterThanOrEqual(4_000);
    expect(line.duration_ms).toBeGreaterThanOrEqual(0);
  }
  expect(points.map(({ kind, labels }) => [kind, ...labels])).toContainEqual([
    "delivery_step",
    "bluesky",
    "publish",
    "posted",
    "",
  ]);
});

test("a step that fails has the code that the caller reads", async () => {
  const { tenant, account, deliveryId } = await createDuePost();
  await callControl("POST", "/_behave", {
    network: account.platform,
    account: account.externalId,
    answer: "500",
    times: 1,
  });
  const { lines, services } = createObservedPublisher(0);
  await publishDue(services, [deliveryId]);
  const codes = lines.flatMap(({ delivery, code }) => (delivery === deliveryId && code ? [code] : []));
  const { body } = await tenant.api.get("/posts");
  expect(codes).toEqual([body.data.posts[0].accounts.states[0].error_code]);
});

test("a sweep is one line with what it found", async () => {
  const { deliveryId } = await createDuePost();
  const { lines, points, services } = createObservedPublisher(60_000);
  const enqueued: string[] = [];
  await enqueueDueDeliveries({ ...services, enqueueDeliveries: (ids) => void enqueued.push(...ids) });
  expect(enqueued).toContain(deliveryId);
  const [line, ...more] = lines.filter(({ sweep }) => sweep === "deliveries");
  expect(more).toEqual([]);
  expect(line).toMatchObject({ level: "info", listed: enqueued.length, enqueued: enqueued.length });
  expect(line?.oldest_due_ms).toBeGreaterThanOrEqual(50_000);
  expect(points.filter(({ kind }) => kind === "sweep")).toHaveLength(1);
});

test("metrics stop at what the platform accepts from one invocation, and never throw", () => {
  let written = 0;
  const { write } = openMetrics({
    writeDataPoint() {
      written += 1;
      throw new Error("no dataset");
    },
  });
  for (let at = 0; at < 100; at++) write({ kind: "sweep", scopeId: "", labels: [], values: [at] });
  expect(written).toBe(25);
  openMetrics(null).write({ kind: "sweep", scopeId: "", labels: [], values: [] });
});
