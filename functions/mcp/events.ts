// MCP Events: io.modelcontextprotocol/events, SEP-3415 (https://modelcontextprotocol.io/seps/3415-events-extension, read 2026-11-29). Events
// are those of the feed; clients poll them, or have them sent to a URL of theirs, signed with a secret of theirs.
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { AnySpec, Endpoint } from "../../lib/http/endpoint-spec.ts";
import { executeRequest } from "../../lib/http/execute.ts";
import { MAX_WEBHOOKS } from "../../lib/queries/webhooks.ts";
import { EVENT_OBJECTS } from "../../lib/schemas/event-objects.ts";
import { EVENT_NOUNS, EVENT_TYPES, type EventType } from "../../lib/shared/event-types.ts";
import { EVENTS_ASSET } from "../../lib/shared/mcp-server.ts";
import { hasPermission, type Permission } from "../../lib/shared/permissions.ts";
import type { ToolEnvironment } from "./call-tool.ts";
import pollEndpoint from "./poll-events.ts";
import subscribeEndpoint from "./subscribe-event.ts";
import { buildOutputSchema } from "./tool-schemas.ts";
import unsubscribeEndpoint from "./unsubscribe-event.ts";

const EXTENSION = "io.modelcontextprotocol/events";
const CACHE_HINT = { ttlMs: 300_000, cacheScope: "private" } as const;

/** "Error Handling" of the SEP. */
const CODES = { notFound: -32_023, forbidden: -32_024, exhausted: -32_025, unsupported: -32_026, callback: -32_027 };

const INPUT_SCHEMA = {
  type: "object",
  properties: {
    account_ids: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: 100,
      description: "Only events about these accounts, or about none; ids of list_accounts. All without it.",
    },
  },
  additionalProperties: false,
};

const Params = z.looseObject({});
const Named = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });
const Delivered = Named.extend({
  delivery: z.looseObject({ mode: z.string().optional(), url: z.string(), secret: z.string().optional() }),
});

export interface EventEnvironment extends ToolEnvironment {
  readAsset(path: string): Promise<string>;
  verify(): Promise<readonly Permission[] | null>;
  reject(response: Response): void;
}

export function addEvents(mcp: McpServer, environment: EventEnvironment): void {
  const { server } = mcp;
  server.setRequestHandler("events/list", { params: Params }, async () => {
    const permissions = await environment.verify();
    if (!hasPermission(permissions, "events:read")) throw forbidden("events:read");
    const delivery = hasPermission(permissions, "webhooks:write") ? ["poll", "webhook"] : ["poll"];
    const texts: Record<string, string> = JSON.parse(await environment.readAsset(EVENTS_ASSET));
    return { events: EVENT_TYPES.map((name) => ({ ...describe(name, texts), delivery })), ...CACHE_HINT };
  });
  server.setRequestHandler("events/poll", { params: Named }, async (params) => {
    const { name, arguments: given = {}, cursor, maxAgeMs, maxEvents } = params;
    return run(pollEndpoint, { name, arguments: given, cursor, maxAgeMs, maxEvents });
  });
  server.setRequestHandler("events/subscribe", { params: Delivered }, async (params) => {
    const { name, arguments: given = {}, cursor, ttlMs, delivery } = params;
    const { mode = "webhook", url, secret } = delivery;
    if (mode !== "webhook") {
      throw new ProtocolError(CODES.unsupported, "Unsupported", { feature: "deliveryMode", value: mode });
    }
    return run(subscribeEndpoint, { name, arguments: given, url, secret, cursor, ttlMs });
  });
  server.setRequestHandler("events/unsubscribe", { params: Delivered }, async (params) => {
    const { name, arguments: given = {}, delivery } = params;
    return run(unsubscribeEndpoint, { name, arguments: given, url: delivery.url });
  });
  server.registerCapabilities({ extensions: { [EXTENSION]: {} } });

  async function run(
    endpoint: Endpoint,
    body: { name: string } & Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    if (!EVENT_TYPES.includes(body.name as EventType)) {
      throw new ProtocolError(CODES.notFound, `There is no event ${body.name}.`, { kind: "event" });
    }
    const response = await executeRequest(
      endpoint,
      { token: environment.token, resource: "mcp" },
      { body },
      environment,
    );
    if (response.status === 401) environment.reject(response.clone());
    const envelope = await response.json<Failure & { ok: boolean; data: Record<string, unknown> }>();
    if (envelope.ok) return envelope.data;
    throw toProtocolError(envelope);
  }
}

interface Failure {
  message: string;
  error_code: string;
  code: number;
  reason?: string;
  issues?: unknown;
  retry_after_seconds?: number;
}

/** Errors of the pipeline in the codes of the extension, with the words of the envelope. */
function toProtocolError({ message, error_code: name, code, reason, issues, retry_after_seconds: wait }: Failure) {
  if (reason) return new ProtocolError(CODES.callback, message, { reason });
  if (name === "missing_permission") return new ProtocolError(CODES.forbidden, message, { reason: message });
  if (name === "not_found") return new ProtocolError(CODES.notFound, message, { kind: "subscription" });
  if (name === "too_many_webhooks") {
    return new ProtocolError(CODES.exhausted, message, { limit: "subscriptions", max: MAX_WEBHOOKS });
  }
  if (code === 429) return new ProtocolError(CODES.exhausted, message, { limit: "requests", retryAfterSeconds: wait });
  const isCaller = code >= 400 && code < 500;
  return new ProtocolError(isCaller ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message, {
    error_code: name,
    issues,
  });
}

function forbidden(permission: Permission): ProtocolError {
  const reason = `This key needs the permission ${permission}.`;
  return new ProtocolError(CODES.forbidden, reason, { reason });
}

function describe(name: EventType, texts: Record<string, string>) {
  const reply = z.object({ object: EVENT_OBJECTS[EVENT_NOUNS[name]] });
  const payloadSchema = buildOutputSchema({ reply } as unknown as AnySpec);
  return { name, description: texts[name] ?? name, inputSchema: INPUT_SCHEMA, payloadSchema };
}
