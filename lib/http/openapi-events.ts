// Events in the OpenAPI document: a component for each kind of record, `Event` as one of them, and a webhook for each type.
import type * as z from "zod";
import { EVENT_NOUNS, EVENT_TYPES, type EventNoun, TEST_EVENT_TYPE } from "../shared/event-types.ts";
import { type Json, type SharedComponents, toPascalCase } from "./openapi-components.ts";
import { describeField } from "./openapi-documentation.ts";
import { type SchemaComponents, toJsonSchema } from "./openapi-schemas.ts";

/** The schema of `data.object` by what the event is about. */
export type EventObjects = Readonly<Record<EventNoun, z.ZodType>>;

interface Components extends SchemaComponents {
  shared: SharedComponents;
  dataNames: Map<unknown, string>;
}

const HEADERS = {
  "webhook-id": { type: "string" },
  "webhook-timestamp": { type: "string", pattern: "^\\d+$" },
  "webhook-signature": { type: "string" },
};

const RESPONSES = {
  "2XX": { description: "Any status from 200 to 299 within 15 seconds: the event has been received." },
  default: {
    description:
      "Any other status, a redirect and no answer are failures: the event is sent again, unless the header `webhook-delivery: abort-message` ends its retries.",
  },
};

/** Replaces the component `Event`, which has any object, by one whose object follows from the type; returns the webhooks. */
export function buildWebhooks(objects: EventObjects, components: Components): Record<string, Json> {
  const { schemas, dataNames } = components;
  const { Event: base } = schemas;
  if (!base) return {};
  /** Adds the component of the events about a noun. */
  const addEvent = (name: string, noun: EventNoun, types: readonly string[]): Json => {
    const object = toJsonSchema(objects[noun], "output", components, dataNames.get(objects[noun]) ?? null);
    schemas[name] = buildEvent(base, types, object, components);
    return { $ref: `#/components/schemas/${name}` };
  };
  const kinds = [...Map.groupBy(EVENT_TYPES, (type) => EVENT_NOUNS[type])].map(([noun, types]) => {
    return { types, event: addEvent(`${toPascalCase(noun)}Event`, noun, types) };
  });
  schemas.Event = {
    description: "The type says what `data.object` is. Types may be added.",
    oneOf: kinds.map(({ event }) => event),
  };
  const test = { types: [TEST_EVENT_TYPE], event: addEvent("WebhookTestEvent", "webhook", [TEST_EVENT_TYPE]) };
  const webhooks = [...kinds, test].flatMap(({ types, event }) => types.map((type) => ({ type, event })));
  return Object.fromEntries(webhooks.map(({ type, event }) => [type, { post: buildWebhook(type, event, components) }]));
}

interface ObjectSchema extends Json {
  properties: Record<string, Json>;
}

function buildEvent(
  base: Json,
  types: readonly string[],
  object: Json,
  { documentation }: Pick<Components, "documentation">,
): Json {
  const { properties, ...rest } = base as ObjectSchema;
  const { properties: dataProperties, ...data } = properties.data as ObjectSchema;
  const { description } = dataProperties.object as Json;
  const isTruncated = describeField(documentation, "Event", "data.is_truncated", undefined);
  return {
    ...rest,
    properties: {
      ...properties,
      type: { ...properties.type, enum: types },
      data: {
        ...data,
        properties: {
          object: { description, ...object },
          is_truncated: { const: true, ...(isTruncated ? { description: isTruncated } : {}) },
        },
      },
    },
  };
}

function buildWebhook(type: string, event: Json, { documentation, shared }: Components): Json {
  const { text, example } = documentation.events.get(type) ?? {};
  const own = {
    type: "object",
    required: ["type"],
    properties: { type: { const: type, description: "What happened." } },
  };
  return {
    operationId: `events.${type}`,
    tags: ["Webhooks"],
    summary: type,
    ...(text ? { description: text } : {}),
    security: [],
    parameters: Object.entries(HEADERS).map(([name, schema]) => {
      const description = describeField(documentation, "WebhookHeaders", name, undefined);
      const parameter = { name, in: "header", required: true, ...(description ? { description } : {}), schema };
      return shared.add("parameters", [`${toPascalCase(name)}Header`], parameter);
    }),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { allOf: [event, own] },
          ...(example ? { examples: { Recorded: { summary: "A recorded event", value: example } } } : {}),
        },
      },
    },
    responses: RESPONSES,
  };
}
