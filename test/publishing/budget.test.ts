// The budget of an invocation: work stops before it is used up, and what was not sent is never reported as unknown.
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { type Budget, createBudget, withBudget } from "../../lib/services/budget.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { createTestPublisher, openTestDatabase } from "../support/harness.ts";
import {
  connectAccount,
  createDelivery,
  isCheckpointOf,
  NOON,
  readDelivery,
  readTrace,
  scriptNetwork,
  withFailingStatements,
} from "./scripted-network.ts";

/** A budget of so many requests, of which database queries are not counted. */
function createSmallBudget(requests: number): Budget {
  let left = requests;
  return { countRequest: () => void left--, remainingRequests: () => Math.max(0, left) };
}

function createPublisher(network: ReturnType<typeof scriptNetwork>, budget: Budget) {
  return createTestPublisher(NOON, { budget, fetch: withBudget(budget, network.fetch) });
}

test("10,000 requests and 15 minutes, with a reserve", async () => {
  let now = 0;
  const budget = createBudget(() => now);
  for (let sent = 0; sent < 9_400; sent++) budget.countRequest();
  expect(budget.remainingRequests()).toBe(100);
  now = 14 * MINUTE_MS;
  expect(budget.remainingRequests()).toBe(0);
  let sent = 0;
  const send = withBudget(budget, async () => {
    sent += 1;
    return new Response();
  });
  await expect(send("https://example.com")).rejects.toThrow(/nothing was sent/);
  expect(sent).toBe(0);
});

test("an invocation without requests left sends nothing, and another one continues at once", async () => {
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({});
  const { services, enqueuedDeliveries } = createPublisher(network, createSmallBudget(1));
  await publishDue(services, [id]);
  // The quota is read, and the container is not created.
  expect(network.calls.map(({ name }) => name)).toEqual(["limit"]);
  expect(await readDelivery(id)).toMatchObject({ stage: "new", attempts: 0, error_code: null, next: NOON });
  expect(await readTrace(id)).toEqual(["new: postponed"]);
  expect(enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "posts", delaySeconds: 0 }]);
  await publishDue(createPublisher(network, createSmallBudget(1_000)).services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "posted" });
});

test("the last call is not begun with too few requests left for it", async () => {
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({});
  await publishDue(createPublisher(network, createSmallBudget(200)).services, [id]);
  expect(network.countCalls("publish")).toBe(0);
  expect(await readDelivery(id)).toMatchObject({ stage: "started", error_code: null, next: NOON });
});

test("a last call that the budget stopped was not sent: its outcome is known, also where the network could not report it", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({});
  let isUsedUp = false;
  const budget: Budget = { countRequest: () => undefined, remainingRequests: () => (isUsedUp ? 0 : 1_000) };
  const db = withFailingStatements(openTestDatabase(), (query, params) => {
    isUsedUp ||= isCheckpointOf("armed", query, params);
    return null;
  });
  const change = { budget, db, fetch: withBudget(budget, network.fetch) };
  await publishDue(createTestPublisher(NOON, change).services, [id]);
  expect(network.countCalls("publish")).toBe(0);
  expect(await readDelivery(id)).toMatchObject({ stage: "started", attempts: 0, error_code: null, next: NOON });
  expect(await readTrace(id)).toEqual(["start: started", "arm: armed", "not sent: started", "started: postponed"]);
  await publishDue(createPublisher(network, createSmallBudget(1_000)).services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "posted", attempts: 1 });
});

test("an invocation without requests left claims nothing more", async () => {
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const { services, enqueuedDeliveries } = createPublisher(scriptNetwork({}), createSmallBudget(0));
  await publishDue(services, [id], "posts");
  expect(await readTrace(id)).toEqual([]);
  expect(enqueuedDeliveries).toEqual([{ deliveryIds: [id], kind: "posts", delaySeconds: 0 }]);
});
