// Events in the OpenAPI document: a component for each kind of record, `Event` as one of them, and a webhook for each type.
import type * as z from "zod";
import { EVENT_NOUNS, EVENT_TYPES, type EventNoun, type EventType } from "../shared/event-types.ts";
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
  const { schemas } = components;
  const { Event: base } = schemas;
  if (!base) return {};
  const nouns = [...Map.groupBy(EVENT_TYPES, (type) => EVENT_NOUNS[type])];
  for (const [noun, types] of nouns) {
    const object = toJsonSchema(objects[noun], "output", components, components.dataNames.get(objects[noun]) ?? null);
    schemas[nameEvent(noun)] = buildEvent(base, types, object);
  }
  const kinds = nouns.map(([noun]) => ({ $ref: toReference(noun) }));
  schemas.Event = { description: "The type says what `data.object` is. Types may be added.", oneOf: kinds };
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: buildWebhook(type, components) }]));
}

/** `PostEvent`. */
const nameEvent = (noun: EventNoun): string => `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Event`;

const toReference = (noun: EventNoun): string => `#/components/schemas/${nameEvent(noun)}`;

interface ObjectSchema extends Json {
  properties: Record<string, Json>;
}

function buildEvent(base: Json, types: EventType[], object: Json): Json {
  const { properties, ...rest } = base as ObjectSchema;
  const { properties: dataProperties, ...data } = properties.data as ObjectSchema;
  const { description } = dataProperties.object as Json;
  return {
    ...rest,
    properties: {
      ...properties,
      type: { ...properties.type, enum: types },
      data: { ...data, properties: { ...dataProperties, object: { description, ...object } } },
    },
  };
}

function buildWebhook(type: EventType, { documentation, shared }: Components): Json {
  const { text, example } = documentation.events.get(type) ?? {};
  const own = {
    type: "object",
    required: ["type"],
    properties: { type: { const: type, description: "What happened." } },
  };
  return {
    operationId: `events.${type}`,
    tags: ["Events"],
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
          schema: { allOf: [{ $ref: toReference(EVENT_NOUNS[type]) }, own] },
          ...(example ? { examples: { Recorded: { summary: "A recorded event", value: example } } } : {}),
        },
      },
    },
    responses: RESPONSES,
  };
}
