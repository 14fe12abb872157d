// One operation of the reference page: what it does, a request with its response, then every field and error.
import type { Example } from "../../../lib/http/openapi-documentation.ts";
import {
  type OpenApiDocument,
  type Parameter,
  type PlacedOperation,
  type Response,
  resolve,
  toAnchor,
} from "./document.ts";
import { escapeHtml, renderCode, renderMarkdown, renderSamples } from "./markdown.ts";
import { writeSamples } from "./request.ts";
import { renderField, renderFields } from "./schema.ts";

/** `recorded` has the requests whose responses the document shows. */
export function renderOperation(
  document: OpenApiDocument,
  operation: PlacedOperation,
  recorded: readonly Example[],
): string {
  const { operationId, method, path, summary, description = "", requestBody, "x-permission": permission } = operation;
  const parameters = operation.parameters.map((parameter) => resolve<Parameter>(document, parameter));
  const responses = listResponses(document, operation);
  const errors = responses.filter(({ status }) => status >= 400);
  return `<section class="operation" id="${toAnchor(operationId)}">
<div class="text">
<h3><a href="#${toAnchor(operationId)}">${escapeHtml(summary)}</a></h3>
<p class="route"><b class="method ${method.toLowerCase()}">${method}</b> <code><i>${escapeHtml(document.servers[0]?.url ?? "")}</i>${escapeHtml(path)}</code></p>
${renderMarkdown(description)}
${permission ? `<p>Permission: <code>${escapeHtml(permission)}</code></p>` : ""}
</div>
<div class="code">
${renderExamples(operation, parameters, responses, recorded)}
</div>
<div class="text">
${renderParameters(document, parameters)}
${requestBody ? `<h4>Body</h4>${renderFields(document, requestBody.content["application/json"].schema)}` : ""}
${renderResponseFields(document, responses)}
<details class="errors"><summary><b>Errors</b> ${errors.map(({ status }) => status).join(", ")}</summary>${errors.map(renderError).join("")}</details>
</div>
</section>`;
}

interface StatedResponse extends Response {
  status: number;
}

/** The response for a new resource comes before that for a duplicate: 201, 202, 200, then the errors. */
function listResponses(document: OpenApiDocument, { responses }: PlacedOperation): StatedResponse[] {
  const rank = (status: number) => (status === 200 ? 299 : status);
  return Object.entries(responses)
    .map(([status, response]) => ({ status: Number(status), ...resolve<Response>(document, response) }))
    .sort((a, b) => rank(a.status) - rank(b.status));
}

function renderParameters(document: OpenApiDocument, parameters: Parameter[]): string {
  const places = [
    ["path", "Path"],
    ["query", "Query"],
    ["header", "Headers"],
  ] as const;
  return places
    .map(([place, title]) => {
      const rows = parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema, description, required }) =>
          renderField(document, name, { ...schema, ...(description ? { description } : {}) }, required ?? false, 1),
        );
      return rows.length > 0 ? `<h4>${title}</h4><ul class="fields">${rows.join("")}</ul>` : "";
    })
    .join("");
}

function renderResponseFields(document: OpenApiDocument, [success]: StatedResponse[]): string {
  const data = success?.content["application/json"].schema.allOf?.[1]?.properties?.data;
  const fields = data ? renderFields(document, data) : "";
  return fields ? `<div class="answer"><h4>Answer <span class="type">data</span></h4>${fields}</div>` : "";
}

function renderError({ status, description }: StatedResponse): string {
  return `<div class="error"><b>${status}</b><div>${renderMarkdown(description)}</div></div>`;
}

function renderResponse({ status, description, content }: StatedResponse): string {
  const [example] = Object.values(content["application/json"].examples ?? {});
  const code = example ? JSON.stringify(example.value, null, 2) : "";
  return renderCode(`${status} ${example?.summary ?? description}`, code);
}

/** The first request and its response stand beside the text; further ones are folded, since they move the response away. */
function renderExamples(
  operation: PlacedOperation,
  parameters: Parameter[],
  responses: StatedResponse[],
  recorded: readonly Example[],
): string {
  const successes = responses.filter(({ status }) => status < 400);
  const [request = "", ...requests] = renderRequests(operation, parameters, findResponseTitle(successes), recorded);
  const [response = "", ...furtherResponses] = successes.map(renderResponse);
  const further = [...requests, ...furtherResponses];
  const fold = further.length > 0 ? `<details><summary>More examples</summary>${further.join("\n")}</details>` : "";
  return [request, response, fold].join("\n");
}

/** The title of the example whose response stands first. */
function findResponseTitle([first]: StatedResponse[]): string {
  return Object.values(first?.content["application/json"].examples ?? {})[0]?.summary ?? "";
}

function renderRequests(
  { method, path, requestBody }: PlacedOperation,
  parameters: Parameter[],
  responseTitle: string,
  recorded: readonly Example[],
): string[] {
  const examples = Object.values(requestBody?.content["application/json"].examples ?? {});
  const shown = examples.length > 0 ? examples : [{ summary: responseTitle, value: undefined }];
  const idempotent = parameters.some(({ name }) => name === "Idempotency-Key");
  return shown.map(({ summary, value }, at) => {
    const query = recorded.find(({ title }) => title === summary)?.query ?? {};
    return renderSamples(
      at === 0 ? "Request" : summary,
      writeSamples({ method, path, query, idempotent, body: value }),
    );
  });
}
