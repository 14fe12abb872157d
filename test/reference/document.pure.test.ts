// The OpenAPI document is complete: titles, descriptions, examples and errors of every operation and field.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAllGuides, readDocumentation, readGuides } from "../../functions/build/documentation.ts";
import { listExampleFiles } from "../../functions/build/example-files.ts";
import type { OpenApiDocument } from "../../functions/build/page/document.ts";
import { describeError } from "../../lib/http/openapi-documentation.ts";
import { ERROR_STATUS } from "../../lib/shared/errors.ts";
import { EVENT_TYPES, TEST_EVENT_TYPE } from "../../lib/shared/event-types.ts";

interface Schema {
  $ref?: string;
  description?: string;
  deprecated?: boolean;
  enum?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: Schema | boolean;
}
interface Content {
  content?: { "application/json": { schema: Schema; examples?: Record<string, { value: unknown }> } };
  $ref?: string;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: { $ref?: string; description?: string }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8")) as {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation & { requestBody: Required<Content> } }>;
  components: Record<"schemas" | "parameters" | "responses", Record<string, Schema & Content>>;
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

test("every operation has a short title, a description and examples", () => {
  const incomplete = operations.flatMap((operation) => {
    const { operationId, summary, description, requestBody, responses } = operation;
    const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
    return [
      ...(summary.length <= 50 && /^[A-Z][a-z]+ [a-z]/.test(summary) && !summary.endsWith(".") ? [] : ["title"]),
      ...(description ? [] : ["description"]),
      ...(requestBody && !hasExample(requestBody) ? ["request example"] : []),
      ...successes.flatMap(([status, response]) => (hasExample(response) ? [] : [`example of ${status}`])),
    ].map((part) => `${operationId}: ${part}`);
  });
  expect(incomplete, "add it in functions/meta/reference/operations or test/reference").toEqual([]);
});

function hasExample({ content }: Content): boolean {
  return Object.keys(content?.["application/json"].examples ?? {}).length > 0;
}

test("every recorded response and every further request is a file of its own", () => {
  const countExamples = ({ content }: Content) => Object.keys(content?.["application/json"].examples ?? {}).length;
  const files = [...listExampleFiles(document as unknown as OpenApiDocument).keys()];
  for (const { operationId, requestBody, responses } of operations) {
    const count = (prefix: string) => files.filter((file) => file.startsWith(`${operationId}-${prefix}`)).length;
    expect(count("request")).toBe(Math.max(countExamples(requestBody ?? {}) - 1, 0));
    for (const [status, response] of Object.entries(responses)) {
      expect(count(status), operationId).toBe(Number(status) < 400 ? countExamples(response) : 0);
    }
  }
});

test("every field and parameter has a description", () => {
  const undescribed = [
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => listUndescribed(schema, name)),
    ...Object.entries(document.components.parameters).flatMap(([name, { description }]) => (description ? [] : [name])),
    ...operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(({ $ref, description }) => !$ref && !description).map(() => operationId),
    ),
  ];
  expect(undescribed, "add it in functions/meta/reference/fields").toEqual([]);
});

function listUndescribed(schema: Schema, path: string): string[] {
  const inner = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const { additionalProperties } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(property.description ? [] : [`${path}.${name}`]),
      ...listUndescribed(property, `${path}.${name}`),
    ]),
    ...inner.flatMap((item) => (item ? listUndescribed(item, path) : [])),
    ...(typeof additionalProperties === "object" ? listUndescribed(additionalProperties, path) : []),
  ];
}

test("every body and every response is a component, not an inline copy", () => {
  const inline = operations.flatMap(({ operationId, requestBody, responses }) => [
    ...(requestBody && !requestBody.content?.["application/json"].schema.$ref ? [`${operationId} body`] : []),
    ...Object.entries(responses).flatMap(([status, { content }]) => {
      const data = content?.["application/json"].schema.allOf?.[1]?.properties?.data;
      return data && !data.$ref ? [`${operationId} ${status}`] : [];
    }),
  ]);
  expect(inline, "name it in the heading of functions/meta/reference/operations").toEqual([]);
});

test("every error code says what it means and what to do", async () => {
  const documentation = await readDocumentation();
  const unexplained = Object.keys(ERROR_STATUS).filter((code) => !/\. .+\./.test(describeError(documentation, code)));
  expect(unexplained, "add it in functions/meta/reference/errors.md").toEqual([]);
});

const DOCUMENTED_TYPES = [...EVENT_TYPES, TEST_EVENT_TYPE];

test("every type of events says when it is written, and has a recorded example", async () => {
  const { events } = await readDocumentation();
  expect([...events.keys()], "the list is functions/meta/reference/event-types.md").toEqual(DOCUMENTED_TYPES);
  const incomplete = DOCUMENTED_TYPES.filter(
    (type) => !events.get(type)?.text.endsWith(".") || !events.get(type)?.example,
  );
  expect(incomplete, "npm run openapi -- --examples records it").toEqual([]);
  const page = (await readAllGuides()).find(({ id }) => id === "event-types")?.text ?? "";
  for (const type of DOCUMENTED_TYPES)
    expect(page).toMatch(new RegExp(`^### ${type}\n\n\\S.*\n\n<details>.*\n\n\`{3}json\n\\{$`, "m"));
});

test("every type of events is a webhook with the record that it is about", () => {
  expect(Object.keys(document.webhooks)).toEqual(DOCUMENTED_TYPES);
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { schema, examples } = post.requestBody.content["application/json"];
    const [event, own] = schema.allOf ?? [];
    expect(own?.properties?.type).toMatchObject({ const: type });
    const name = event?.$ref?.split("/").at(-1) ?? "";
    const object =
      document.components.schemas[name]?.properties?.data?.properties?.object?.$ref?.split("/").at(-1) ?? "";
    expect([type, document.components.schemas[object]?.properties]).toEqual([type, expect.anything()]);
    expect(Object.values(examples ?? {})).toHaveLength(1);
    expect(
      post.parameters.map(({ $ref = "" }) => document.components.parameters[$ref.split("/").at(-1) ?? ""]),
    ).toEqual(
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((header) =>
        expect.objectContaining({ name: header, in: "header", required: true }),
      ),
    );
  }
});

test("no example uses a deprecated alias", () => {
  const aliases = new Set(Object.values(document.components.schemas).flatMap(listDeprecated));
  expect([...aliases].toSorted()).toEqual(
    [
      "bytes",
      "duration",
      "duration_sec",
      "instagram-standalone",
      "linkedin-page",
      "madeForKids",
      "mime",
      "postIds",
      "size",
    ]
      .concat(["slideshow_type", "twitter", "type"])
      .concat(["advancedSettings", "aspectRatio", "fontSize", "imagePackId", "packAssignments", "slideshowType"])
      .concat(["textPreset", "textWidth"])
      .toSorted(),
  );
  const names = [
    "duration_sec",
    "duration",
    "mime",
    "postIds",
    "instagram-standalone",
    "linkedin-page",
    "twitter",
    "madeForKids",
  ];
  const bodies = operations.map(({ requestBody }) =>
    JSON.stringify(requestBody?.content?.["application/json"].examples),
  );
  expect(bodies.filter((body) => names.some((name) => body?.includes(`"${name}":`)))).toEqual([]);
});

function listDeprecated(schema: Schema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.deprecated ? [name] : []),
    ...listDeprecated(property),
  ]);
}

test("posts, accounts and files come first", () => {
  expect(document.tags.slice(0, 3).map(({ name }) => name)).toEqual(["Posts", "Accounts", "Files"]);
  expect(operations[0]?.operationId).toBe("posts.create");
});

/** The number of characters that fit beside the contents of the page at 1,400 pixels. */
const MAX_CODE_COLUMNS = 92;

test("no line of code in a guide is wider than its box", async () => {
  const wide = (await readGuides()).flatMap(({ id, text }) =>
    [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)]
      .flatMap(([, block = ""]) => block.split("\n"))
      .filter((line) => line.length > MAX_CODE_COLUMNS)
      .map((line) => `${id}: ${line}`),
  );
  expect(wide).toEqual([]);
});
