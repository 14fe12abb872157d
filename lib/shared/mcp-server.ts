// The description of the server of tools: for clients that are connected, and in the documents by which they find it.

/** A later client may speak the first; the older one begins with `initialize`. */
export const MCP_REVISIONS = ["2026-07-28", "2025-11-25"];

export const MCP_SERVER = {
  title: "Partner API for social publishing",
  version: "1.0.0",
  description: "Prepare, publish and follow posts on TikTok, Instagram, YouTube and six more networks.",
} as const;

/** The host in reverse, as https://github.com/modelcontextprotocol/experimental-ext-server-card asks (schema.ts, read 2026-11-29). */
export function getMcpServerName(publicUrl: string): string {
  return `${new URL(publicUrl).hostname.split(".").toReversed().join(".")}/partner-api`;
}

/** The file of a form in which a person picks what to upload, for hosts of MCP Apps. */
export const UPLOAD_APP_ASSET = "/mcp/upload-app.txt";
/** The entries of the skills, with their digests. */
export const SKILLS_ASSET = "/mcp/skills.json";
/** The descriptions of the types of events, by name. */
export const EVENTS_ASSET = "/mcp/events.json";
/** Below it are the files of the skills, as https://github.com/cloudflare/agent-skills-discovery-rfc describes it (0.2.0, read 2026-11-29). */
export const SKILLS_PATH = "/.well-known/agent-skills";
