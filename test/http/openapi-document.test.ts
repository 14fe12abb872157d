// The OpenAPI document against the declarations of the endpoints.
import { expect, test } from "vitest";
import { loadEndpoints } from "../../functions/routes.ts";
import { buildOpenApiDocument } from "../../lib/http/openapi.ts";
import { NO_DOCUMENTATION } from "../../lib/http/openapi-documentation.ts";
import { EVENT_OBJECTS } from "../../lib/schemas/event-objects.ts";
import { at } from "../../lib/shared/at.ts";

type Paths = Record<string, Record<string, { operationId: string; requestBody?: { required: boolean } }>>;

const buildDocument = async () => buildOpenApiDocument(await loadEndpoints(), NO_DOCUMENTATION, EVENT_OBJECTS);

test("the OpenAPI document requires a body unless an empty body is valid", async () => {
  const optional = Object.values((await buildDocument()).paths as Paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ requestBody }) => requestBody?.required === false)
    .map(({ operationId }) => operationId);
  expect(optional.sort()).toEqual([
    "accounts.create-connect-link",
    "approvals.create",
    "editor.captions",
    "posts.commit",
    "posts.unpublish",
    "slideshows.regenerate-slide",
    "templates.from-slideshow",
    "webhooks.rotate-secret",
  ]);
});

test("the OpenAPI document has no number limits at the safe integer range", async () => {
  expect(JSON.stringify(await buildDocument())).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

test("the OpenAPI document lists the rate limit headers of every limited operation", async () => {
  type Headed = { headers: Record<string, unknown> };
  type Operation = { operationId: string; responses: Record<string, Headed | { $ref: string }> };
  const { paths, components } = (await buildDocument()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { responses: Record<string, Headed> };
  };
  const limited = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) => responses[429]);
  expect(limited.map(({ operationId }) => operationId)).toContain("analytics.refresh-target");
  for (const { operationId, responses } of limited) {
    const silent = Object.values(responses)
      .map((response) => ("$ref" in response ? components.responses[at(response.$ref.split("/"), -1)] : response))
      .filter((response) => !response?.headers.RateLimit || !response.headers["RateLimit-Policy"]);
    expect([operationId, silent]).toEqual([operationId, []]);
  }
});
