// The documents by which agents and crawlers find the service. functions/build/agent-files.ts writes them as files of the Worker of
// static files, with placeholders for what depends on the deployment.
import { getMcpServerName, SKILLS_PATH } from "./mcp-server.ts";
import { MCP_PATH } from "./paths.ts";

/** In place of PUBLIC_URL. */
export const ORIGIN = "{origin}";
/** In place of the name of the server of tools. */
export const SERVER_NAME = "{server}";
/** In place of the host of PUBLIC_URL. */
const HOST = "{host}";

interface WellKnownFile {
  path: string;
  /** Former or usual paths of the same document. */
  aliases: readonly string[];
  asset: string;
  type: string;
  title: string;
}

/** Folders of assets whose names begin with a dot may be left out by tools. */
export const toAssetPath = (path: string) => path.replace("/.well-known/", "/well-known/");

/** https://www.rfc-editor.org/rfc/rfc9727, section 4.2, read 2026-11-29. */
const API_CATALOG_PROFILE = "https://www.rfc-editor.org/info/rfc9727";

export const WELL_KNOWN_FILES = {
  apiCatalog: {
    path: "/.well-known/api-catalog",
    aliases: [],
    asset: "/well-known/api-catalog.txt",
    type: `application/linkset+json; profile="${API_CATALOG_PROFILE}"`,
    title: "API catalog (RFC 9727)",
  },
  aiCatalog: {
    path: "/.well-known/ai-catalog.json",
    aliases: [],
    asset: "/well-known/ai-catalog.json",
    type: "application/ai-catalog+json",
    title: "AI catalog",
  },
  serverCard: {
    path: `${MCP_PATH}/server-card`,
    // Proposed before SEP-2127 was final, and still asked for.
    aliases: ["/.well-known/mcp/server-card.json"],
    asset: "/well-known/server-card.json",
    type: "application/mcp-server-card+json",
    title: "Server card of the tools",
  },
  skills: {
    path: `${SKILLS_PATH}/index.json`,
    aliases: [],
    asset: "/well-known/agent-skills/index.json",
    type: "application/json",
    title: "Index of skills",
  },
} as const satisfies Record<string, WellKnownFile>;

/** RFC 9727, sections 2 and 3: on the catalog itself, also for HEAD, and on the pages that lead to it. */
export const API_CATALOG_LINK = `<${WELL_KNOWN_FILES.apiCatalog.path}>; rel="api-catalog"`;

export function fillPlaceholders(text: string, publicUrl: string): string {
  const { origin, hostname } = new URL(publicUrl);
  return text
    .replaceAll(ORIGIN, origin)
    .replaceAll(SERVER_NAME, getMcpServerName(publicUrl))
    .replaceAll(HOST, hostname);
}
