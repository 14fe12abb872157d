// Writes .built/operations.d.ts: the types of every operation's request body and response, for the scripts of the dashboard.
// openapi-typescript 7.13 needs the compiler API of TypeScript 5, which TypeScript 7 does not have.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";

interface Content {
  content?: { "application/json"?: { schema: JSONSchema } };
}
interface Operation {
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: JSONSchema;
}

const getSchema = (content: Content | undefined) => content?.content?.["application/json"]?.schema ?? { type: "null" };

function toObjectType(properties: Record<string, JSONSchema>): JSONSchema {
  return { type: "object", additionalProperties: false, properties, required: Object.keys(properties) };
}

const { paths, components } = JSON.parse(
  await readFile(join(import.meta.dirname, "../openapi.json"), "utf8"),
) as Document;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody, responses }]) => {
    const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
    const types = toObjectType({ body: getSchema(requestBody), response: getSchema(success) });
    return [`${method.toUpperCase()} ${path}`, types] as const;
  }),
);
// The references of a schema are paths from the root of the document.
const schema = { ...toObjectType(Object.fromEntries(operations)), components };
const types = await compile(schema, "Operations", {
  additionalProperties: false,
  format: false,
  ignoreMinAndMaxItems: true,
});
const folder = join(import.meta.dirname, "../../.built");
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "operations.d.ts"), types);
