// Resources beside the tools: skills, by the Skills extension (SEP-2640; specification/stable/skills.mdx of
// https://github.com/modelcontextprotocol/ext-skills, read 2026-11-29), and the form of an MCP App. Their files are those of the Worker
// of static files.
import type { McpServer } from "@modelcontextprotocol/server";
import { type Skill, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { SKILLS_ASSET, SKILLS_PATH, UPLOAD_APP_ASSET } from "../../lib/shared/mcp-server.ts";
import { toAssetPath } from "../../lib/shared/well-known.ts";

export interface ResourceEnvironment {
  readAsset(path: string): Promise<string>;
  /** Scheme and host that upload tickets lead to. */
  uploadOrigin: string;
  /** Throws when the key is not valid any more. */
  verify(): Promise<unknown>;
}

export const UPLOAD_APP_URI = "ui://partner-api/upload";
const APP_TYPE = "text/html;profile=mcp-app";

/** They change with a deployment, and are the same for every key. */
const CACHE_HINT = { ttlMs: 300_000, cacheScope: "public" } as const;

export function addResources(mcp: McpServer, environment: ResourceEnvironment): void {
  createSkills(environment).attach(mcp);
  addUploadApp(mcp, environment);
}

function createSkills({ readAsset, verify }: ResourceEnvironment): SkillsExtension {
  async function list(): Promise<Skill[]> {
    await verify();
    return JSON.parse(await readAsset(SKILLS_ASSET));
  }
  const find = async (uri: string) => (await list()).find((skill) => skill.uri === uri);
  return new SkillsExtension({
    cacheHint: CACHE_HINT,
    source: {
      list: async () => ({ skills: await list() }),
      get: find,
      async read(uri) {
        const skill = await find(uri);
        if (!skill) return undefined;
        const text = await readAsset(toAssetPath(`${SKILLS_PATH}/${skill.frontmatter.name}/SKILL.md`));
        return { text, mimeType: "text/markdown" };
      },
      listResources: async () =>
        (await list()).map(({ uri, frontmatter: { name, description } }) => ({
          ...{ uri, name, description },
          mimeType: "text/markdown",
        })),
    },
  });
}

/** By MCP Apps (SEP-1865) revision 2026-01-26: https://github.com/modelcontextprotocol/ext-apps, read 2026-11-29. */
function addUploadApp(mcp: McpServer, { readAsset, uploadOrigin, verify }: ResourceEnvironment): void {
  const described = {
    title: "Upload a file",
    description: "A form in which a person picks the file of an upload ticket.",
    mimeType: APP_TYPE,
    cacheHint: CACHE_HINT,
  };
  mcp.registerResource("upload", UPLOAD_APP_URI, described, async () => {
    await verify();
    const text = await readAsset(UPLOAD_APP_ASSET);
    const ui = { csp: { connectDomains: [uploadOrigin] }, prefersBorder: true };
    return { contents: [{ uri: UPLOAD_APP_URI, mimeType: APP_TYPE, text, _meta: { ui } }] };
  });
}
