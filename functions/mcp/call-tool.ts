// Calls the endpoint of a tool as its HTTP API would, and turns the envelope into the result of the tool.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { AnySpec } from "../../lib/http/endpoint-spec.ts";
import { errorResponse } from "../../lib/http/envelope.ts";
import {
  type Envelope,
  type ExecutionEnvironment,
  type ExecutionInput,
  executeRequest,
} from "../../lib/http/execute.ts";
import { apiError, type ErrorCode, toApiError } from "../../lib/shared/errors.ts";
import { rejectForeignMedia } from "./media-references.ts";
import { toArgumentName } from "./tool-schemas.ts";
import type { Tool } from "./tools.ts";

export type Arguments = Record<string, unknown>;

export interface ToolCall {
  result: CallToolResult;
  /** The key was not accepted: the response is that of HTTP. */
  rejection: Response | null;
}

export interface ToolEnvironment extends ExecutionEnvironment {
  token: string;
  cdnUrl: string;
}

export async function callTool(tool: Tool, given: Arguments, environment: ToolEnvironment): Promise<ToolCall> {
  const { default: endpoint } = await tool.load();
  try {
    const input = toInput(endpoint.spec, given);
    rejectForeignMedia(input.body, environment.cdnUrl);
    const response = await executeRequest(endpoint, { token: environment.token, resource: "mcp" }, input, environment);
    const rejection = response.status === 401 ? response.clone() : null;
    return { result: toResult(await response.json<Envelope<Arguments>>()), rejection };
  } catch (error) {
    const known = toApiError(error);
    if (!known) throw error;
    return { result: toResult(JSON.parse(errorResponse(known).body)), rejection: null };
  }
}

/** Splits the arguments into path, query and body. What the schema of the endpoint does not know, it rejects. */
function toInput(spec: AnySpec, { idempotency_key: idempotencyKey, ...given }: Arguments): ExecutionInput {
  const params: Record<string, string> = {};
  const rest = { ...given };
  for (const [name, noun] of Object.entries<string>(spec.params ?? {})) {
    const argument = toArgumentName(name);
    const id = rest[argument];
    delete rest[argument];
    if (typeof id !== "string" || id === "") {
      throw apiError(`missing_${noun}_id` as ErrorCode, `Send ${argument}, the id of the ${noun}.`);
    }
    params[name] = id;
  }
  if (spec.route.startsWith("GET ")) return { params, query: toQuery(rest) };
  // An operation that needs a key is safe to repeat by itself.
  const ownKey = spec.idempotent === "required" ? crypto.randomUUID() : undefined;
  const key = idempotencyKey === undefined ? ownKey : String(idempotencyKey);
  return { params, body: rest, ...(key === undefined ? {} : { idempotencyKey: key }) };
}

function toQuery(given: Arguments): Record<string, string> {
  const sent = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    sent.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
}

/** Hosts without structured results read the same as text. */
function toResult(envelope: Envelope<Arguments>): CallToolResult {
  if (envelope.ok) {
    return { content: [{ type: "text", text: JSON.stringify(envelope.data) }], structuredContent: envelope.data };
  }
  return { content: [{ type: "text", text: JSON.stringify(envelope) }], isError: true };
}
