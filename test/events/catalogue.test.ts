// The catalogue of the reference: every type of events is caused, and looks as its recorded example and its schema say.
// UPDATE_EXAMPLES=1 records the examples.
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { EVENT_EXAMPLES_FILE } from "../../functions/build/documentation.ts";
import { EVENT_OBJECTS } from "../../lib/schemas/event-objects.ts";
import { EVENT_NOUNS, type EventNoun, TEST_EVENT_TYPE } from "../../lib/shared/event-types.ts";
import { toShown, validateAt } from "../reference/recorder.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import {
  provokeAccountEvents,
  provokeApiEvents,
  provokeApprovalEvents,
  provokeContentEvents,
  provokePostEvents,
  provokeRefreshEvents,
  provokeWebhookEvents,
} from "./provoke.ts";

interface Event {
  id: string;
  type: string;
  sequence: number;
  data: { object: Record<string, unknown> };
}

/** The nouns of the types of the catalogue: those of the feed, and the test of a webhook. */
const NOUNS: Record<string, EventNoun> = { ...EVENT_NOUNS, [TEST_EVENT_TYPE]: "webhook" };
const TYPES = Object.keys(NOUNS);

/** The first event of each type. */
async function provokeEvents(tenant: Tenant): Promise<Map<string, Event>> {
  await provokePostEvents(tenant);
  await provokeAccountEvents(tenant);
  await provokeContentEvents(tenant);
  await provokeRefreshEvents(tenant);
  await provokeApprovalEvents(tenant);
  const test = await provokeWebhookEvents(tenant);
  const { body } = await tenant.api.get("/events?limit=200");
  expect(body.data.has_more).toBe(false);
  const events: Event[] = [...body.data.events, ...(await provokeApiEvents()), test];
  return new Map(events.toReversed().map((event) => [event.type, event]));
}

const validate = (type: string, event: unknown): string[] =>
  validateAt(`/webhooks/${type}/post/requestBody/content/application~1json/schema`, event);

test("every type of events is written, and has the shape of its example and of its schema", async () => {
  const caused = await provokeEvents(await createTestTenant());
  expect(TYPES.filter((type) => !caused.has(type))).toEqual([]);
  if (process.env.UPDATE_EXAMPLES === "1") await writeExamples(caused);
  const recorded: Record<string, Event> = JSON.parse(await readFile(EVENT_EXAMPLES_FILE, "utf8"));
  for (const [type, noun] of Object.entries(NOUNS)) {
    const [event, example] = [caused.get(type), recorded[type]];
    if (!event || !example) throw new Error(`${type} has no example: npm run openapi -- --examples records it`);
    expect([type, validate(type, event), validate(type, example)]).toEqual([type, [], []]);
    // The schema of the noun takes it whole: it leaves nothing out.
    const { object } = event.data;
    expect(EVENT_OBJECTS[noun].parse(object)).toEqual(object);
    expect([type, ...Object.keys(example.data.object)]).toEqual([type, ...Object.keys(object)]);
    expect(Object.keys(example)).toEqual(Object.keys(event));
    expect(example.type).toBe(type);
  }
}, 240_000);

test("the schema of a type rejects an event of another type", async () => {
  const recorded: Record<string, Event> = JSON.parse(await readFile(EVENT_EXAMPLES_FILE, "utf8"));
  expect(validate("post.published", recorded["post.failed"])).not.toEqual([]);
  expect(validate("post.published", { ...recorded["file.verified"], type: "post.published" })).not.toEqual([]);
});

async function writeExamples(events: ReadonlyMap<string, Event>): Promise<void> {
  const shown = TYPES.map((type) => [type, toShown(events.get(type))] as const);
  await writeFile(EVENT_EXAMPLES_FILE, `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`);
}
