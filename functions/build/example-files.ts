// The examples of the OpenAPI document as files of their own: `posts.create-201.json` and `posts.create-request-2.json`.
import { listOperations, type OpenApiDocument } from "./page/document.ts";

interface WithExamples {
  content?: { "application/json": { examples?: Record<string, { value: unknown }> } };
}

/** Every example of a successful response, and every request but the first, by file name. */
export function listExampleFiles(document: OpenApiDocument): Map<string, unknown> {
  const files = new Map<string, unknown>();
  for (const { operationId, requestBody, responses } of listOperations(document)) {
    for (const [index, value] of listExamples(requestBody).entries()) {
      if (index > 0) files.set(`${operationId}-request-${index + 1}.json`, value);
    }
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) >= 400) continue;
      for (const [index, value] of listExamples(response as WithExamples).entries()) {
        files.set(`${operationId}-${status}${index === 0 ? "" : `-${index + 1}`}.json`, value);
      }
    }
  }
  return files;
}

function listExamples(part: WithExamples | undefined): unknown[] {
  return Object.values(part?.content?.["application/json"].examples ?? {}).map(({ value }) => value);
}
