// Tests of `npm run openapi -- --compare --compatible`, one change of a small document at a time.
import { expect, test } from "vitest";
import { listBreaks } from "./openapi-compatibility.ts";
import { listFacts } from "./openapi-facts.ts";

const OBJECT = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } }, required: ["id"] };

/** POST /things with a parameter, a body and a response, changed by `change`. */
function buildFacts(change: (operation: typeof base) => unknown = () => undefined): Map<string, string> {
  const operation = structuredClone(base);
  change(operation);
  return listFacts({ openapi: "3.1.0", paths: { "/things": { post: operation } } });
}

const base = {
  operationId: "createThing",
  parameters: [{ name: "limit", in: "query", required: false, schema: { type: "integer" } }],
  requestBody: { content: { "application/json": { schema: structuredClone(OBJECT) } } },
  responses: { "201": { content: { "application/json": { schema: structuredClone(OBJECT) } } } },
} satisfies Record<string, unknown>;

const getBody = (operation: typeof base) => operation.requestBody.content["application/json"].schema;
const getReply = (operation: typeof base) => operation.responses["201"].content["application/json"].schema;

test.each<[string, (operation: typeof base) => unknown, string[]]>([
  ["nothing changed", () => undefined, []],
  ["a field of the response is new", (one) => Object.assign(getReply(one).properties, { more: {} }), []],
  [
    "an optional parameter is new",
    (one) => one.parameters.push({ ...base.parameters[0], name: "cursor" } as never),
    [],
  ],
  ["a parameter is gone", (one) => one.parameters.pop(), ["parameters: POST /things query:limit is missing"]],
  [
    "a field of the body is gone",
    (one) => Reflect.deleteProperty(getBody(one).properties, "name"),
    ["requestFields: POST /things body name is missing"],
  ],
  [
    "a field of the body has become required",
    (one) => getBody(one).required.push("name"),
    ["required: POST /things body name was optional or unknown"],
  ],
  [
    "a field of the response is gone",
    (one) => Reflect.deleteProperty(getReply(one).properties, "name"),
    ["responseFields: POST /things 201 name is missing"],
  ],
  [
    "a field of the response has become optional",
    (one) => getReply(one).required.pop(),
    ["alwaysPresent: POST /things 201 id is missing"],
  ],
])("%s", (_what, change, breaks) => {
  expect(listBreaks(buildFacts(), buildFacts(change))).toEqual(breaks);
});

test("an operation is gone", () => {
  const [first] = listBreaks(buildFacts(), listFacts({ openapi: "3.1.0", paths: {} }));
  expect(first).toBe("operations: POST /things is missing");
});
