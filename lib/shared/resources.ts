// The protected resources that an access token may be limited to (RFC 8707).
import { BASE_PATH, MCP_PATH } from "./paths.ts";

export const RESOURCES = ["api", "mcp"] as const;
export type Resource = (typeof RESOURCES)[number];

export const RESOURCE_PATHS: Record<Resource, string> = { api: BASE_PATH, mcp: MCP_PATH };
