// A server of the Model Context Protocol for one request: the tools that the caller's key may call.
import { type Tool as ListedTool, McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { getMcpServerName, MCP_REVISIONS, MCP_SERVER } from "../../lib/shared/mcp-server.ts";
import { hasPermission, type Permission } from "../../lib/shared/permissions.ts";
import { type Arguments, callTool, type ToolEnvironment } from "./call-tool.ts";
import { addEvents } from "./events.ts";
import { addResources, type ResourceEnvironment } from "./resources.ts";
import { buildInputSchema, buildOutputSchema } from "./tool-schemas.ts";
import { TOOLS, type Tool } from "./tools.ts";

const INSTRUCTIONS = `Publishes posts to social networks. Begin with get_context, then list_accounts. To post: upload or import each file, prepare_post, repair what its checks name, show the draft to the user, then commit_post with plan_hash, or request_approval.
Whole tasks are described by skills: skill://post-video-everywhere/SKILL.md, skill://week-of-slideshows/SKILL.md, skill://why-did-it-fail/SKILL.md.
Times are UTC with Z in results. Errors are JSON: error_code for programs, message and fields say what to change; wait retry_after_seconds before repeating. Never guess ids or file URLs.`;

export interface Caller {
  /** Null means all. */
  permissions: readonly Permission[] | null;
  /** Throws, and rejects the request, when the key is not valid any more. */
  verify(): Promise<readonly Permission[] | null>;
  /** The response of the request is this one, because the key was not accepted. */
  reject(response: Response): void;
  environment: ToolEnvironment & Omit<ResourceEnvironment, "verify">;
}

export function createServer(caller: Caller): McpServer {
  const { environment } = caller;
  const mcp = new McpServer(
    { name: getMcpServerName(environment.origin), ...MCP_SERVER },
    { capabilities: { tools: {} }, supportedProtocolVersions: MCP_REVISIONS, instructions: INSTRUCTIONS },
  );
  addResources(mcp, { ...environment, verify: caller.verify });
  addEvents(mcp, { ...environment, verify: caller.verify, reject: caller.reject });
  const { server } = mcp;
  server.setRequestHandler("tools/list", async () => ({ tools: await listTools(await caller.verify()) }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = Object.hasOwn(TOOLS, params.name) ? TOOLS[params.name] : undefined;
    if (!tool || !hasPermission(caller.permissions, tool.permission)) {
      const why = tool
        ? `This key may not call it: it needs the permission ${tool.permission}.`
        : "There is no such tool.";
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Tool ${params.name}: ${why} tools/list has those that can be called.`,
      );
    }
    const { result, rejection } = await callTool(tool, (params.arguments ?? {}) as Arguments, environment);
    if (rejection) caller.reject(rejection);
    return result;
  });
  return mcp;
}

export async function listTools(permissions: readonly Permission[] | null): Promise<ListedTool[]> {
  const permitted = Object.entries(TOOLS).filter(([, tool]) => hasPermission(permissions, tool.permission));
  return Promise.all(permitted.map(([name, tool]) => describeTool(name, tool)));
}

/** The same in each request of an isolate. */
const described = new Map<string, ListedTool>();

async function describeTool(name: string, tool: Tool): Promise<ListedTool> {
  const known = described.get(name);
  if (known) return known;
  const { spec } = (await tool.load()).default;
  const { title, description, hints, app } = tool;
  const listed = {
    name,
    title,
    description,
    inputSchema: buildInputSchema(tool, spec),
    outputSchema: buildOutputSchema(spec),
    annotations: {
      readOnlyHint: hints.includes("readOnly"),
      destructiveHint: hints.includes("destructive"),
      idempotentHint: hints.includes("idempotent"),
      openWorldHint: hints.includes("openWorld"),
    },
    ...(app ? { _meta: { ui: { resourceUri: app } } } : {}),
  } as ListedTool;
  described.set(name, listed);
  return listed;
}
