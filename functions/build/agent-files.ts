// The files for agents in .assets/: skills with their index, the documents of discovery, llms.txt, and the form of the MCP App. All
// are made from the values that the server uses. Addresses begin with ORIGIN, which functions/meta/well-known.ts replaces.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import {
  EVENTS_ASSET,
  MCP_REVISIONS,
  MCP_SERVER,
  SKILLS_ASSET,
  SKILLS_PATH,
  UPLOAD_APP_ASSET,
} from "../../lib/shared/mcp-server.ts";
import { BASE_PATH, MCP_PATH } from "../../lib/shared/paths.ts";
import { ORIGIN, SERVER_NAME, toAssetPath, WELL_KNOWN_FILES } from "../../lib/shared/well-known.ts";
import { buildSkillEntry, type SkillEntry } from "../mcp/skill-entry.ts";
import { TOOLS } from "../mcp/tools.ts";
import { type Guide, readDocumentation } from "./documentation.ts";
import type { OpenApiDocument } from "./page/document.ts";

const MCP_FOLDER = join(import.meta.dirname, "../mcp");

interface Skill {
  entry: SkillEntry;
  text: string;
}

export async function writeAgentFiles(folder: string, document: OpenApiDocument, guides: Guide[]): Promise<void> {
  const skills = await readSkills();
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  const writeJson = (path: string, value: unknown) => write(path, `${JSON.stringify(value, null, 1)}\n`);
  await Promise.all([
    ...skills.map(({ entry, text }) => write(toAssetPath(`${SKILLS_PATH}/${entry.frontmatter.name}/SKILL.md`), text)),
    writeJson(
      SKILLS_ASSET,
      skills.map(({ entry }) => entry),
    ),
    writeJson(EVENTS_ASSET, await readEventTexts()),
    writeJson(WELL_KNOWN_FILES.skills.asset, buildSkillIndex(skills)),
    writeJson(WELL_KNOWN_FILES.serverCard.asset, SERVER_CARD),
    writeJson(WELL_KNOWN_FILES.aiCatalog.asset, AI_CATALOG),
    writeJson(WELL_KNOWN_FILES.apiCatalog.asset, API_CATALOG),
    write(UPLOAD_APP_ASSET, await buildUploadApp()),
    write("llms.txt", listForAgents(document, guides, skills)),
  ]);
}

async function readEventTexts(): Promise<Record<string, string>> {
  const { events } = await readDocumentation();
  return Object.fromEntries([...events].map(([type, { text }]) => [type, text]));
}

/** Each skill is one file: the texts are short. */
async function readSkills(): Promise<Skill[]> {
  const names = (await readdir(join(MCP_FOLDER, "skills"))).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(MCP_FOLDER, "skills", name, "SKILL.md"), "utf8");
      return { entry: await buildSkillEntry(name, text), text };
    }),
  );
}

/** By https://github.com/cloudflare/agent-skills-discovery-rfc 0.2.0, read 2026-11-29. */
function buildSkillIndex(skills: Skill[]): object {
  return {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: skills.map(({ entry: { frontmatter, resources } }) => ({
      name: frontmatter.name,
      type: "skill-md",
      description: frontmatter.description,
      url: `${SKILLS_PATH}/${frontmatter.name}/SKILL.md`,
      digest: resources[0]?.digest,
    })),
  };
}

/**
 * SEP-2127 (https://modelcontextprotocol.io/seps/2127-mcp-server-cards) by schema.ts of
 * https://github.com/modelcontextprotocol/experimental-ext-server-card, read 2026-11-29: how to connect, and no tools.
 */
const SERVER_CARD = {
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  name: SERVER_NAME,
  ...MCP_SERVER,
  websiteUrl: `${ORIGIN}/docs#agents`,
  remotes: [
    {
      type: "streamable-http",
      url: `${ORIGIN}${MCP_PATH}`,
      headers: [
        {
          name: "Authorization",
          description: "An API key of a workspace. Clients that sign in by OAuth leave it out.",
          isSecret: true,
          value: "Bearer {key}",
          variables: { key: { description: "Made in the dashboard under Keys.", isRequired: true, isSecret: true } },
        },
      ],
      supportedProtocolVersions: MCP_REVISIONS,
    },
  ],
};

/** docs/discovery.md of the same repository, read 2026-11-29. */
const AI_CATALOG = {
  specVersion: "1.0",
  entries: [
    {
      identifier: "urn:air:{host}:mcp:partner-api",
      type: WELL_KNOWN_FILES.serverCard.type,
      url: `${ORIGIN}${WELL_KNOWN_FILES.serverCard.path}`,
    },
  ],
};

/** A linkset (RFC 9264) as RFC 9727 asks, with the relations of RFC 8631. */
const API_CATALOG = {
  linkset: [
    {
      anchor: `${ORIGIN}${BASE_PATH}`,
      "service-desc": [{ href: `${ORIGIN}/openapi.json`, type: "application/json" }],
      "service-doc": [
        { href: `${ORIGIN}/docs`, type: "text/html" },
        { href: `${ORIGIN}/llms.txt`, type: "text/plain" },
      ],
      status: [{ href: `${ORIGIN}${BASE_PATH}/status`, type: "application/json" }],
    },
    {
      anchor: `${ORIGIN}${MCP_PATH}`,
      "service-desc": [
        { href: `${ORIGIN}${WELL_KNOWN_FILES.serverCard.path}`, type: WELL_KNOWN_FILES.serverCard.type },
      ],
      "service-doc": [{ href: `${ORIGIN}/docs/agents.md`, type: "text/markdown" }],
    },
  ],
};

/** One HTML file: hosts show it without a server of its own. */
async function buildUploadApp(): Promise<string> {
  const [page, { outputFiles }] = await Promise.all([
    readFile(join(MCP_FOLDER, "app/upload-app.html"), "utf8"),
    build({
      entryPoints: [join(MCP_FOLDER, "app/upload-app.ts")],
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      target: "es2022",
    }),
  ]);
  const script = outputFiles[0]?.text.replaceAll("</script", "<\\/script") ?? "";
  return page.replace("/* script */", () => script);
}

/** As https://llmstxt.org describes it, read 2026-11-24. */
function listForAgents({ info }: OpenApiDocument, guides: Guide[], skills: Skill[]): string {
  const { title, description } = info;
  return [
    `# ${title}\n\n> ${description.split("\n\n")[0]}`,
    `## Guides\n\n${guides.map(({ id, title: name }) => `- [${name}](/docs/${id}.md)`).join("\n")}`,
    `## Tools\n\nFor agents, by the Model Context Protocol at ${MCP_PATH} of this host, with an API key: [how to connect](/docs/agents.md).\n\n${Object.entries(
      TOOLS,
    )
      .map(([name, tool]) => `- ${name}: ${tool.title}. ${tool.description.split(/(?<=\.) /)[0]}`)
      .join("\n")}`,
    `## Skills\n\nInstructions for whole tasks, as ${SKILLS_PATH}/index.json lists them, and as resources at ${MCP_PATH}:\n\n${skills
      .map(
        ({ entry: { frontmatter: skill } }) =>
          `- [${skill.name}](${SKILLS_PATH}/${skill.name}/SKILL.md): ${skill.description}`,
      )
      .join("\n")}`,
    `## Reference\n\n- [OpenAPI 3.1 document](/openapi.json): every operation with its fields, errors and examples, and every type of events as a webhook
- /docs/examples/OPERATION-STATUS.json: a response, such as [posts.create](/docs/examples/posts.create-201.json)
- /docs/examples/OPERATION-request-2.json: a second request, such as [posts.create](/docs/examples/posts.create-request-2.json)
${Object.values(WELL_KNOWN_FILES)
  .map(({ path, title: name }) => `- [${name}](${path})`)
  .join("\n")}\n`,
  ].join("\n\n");
}
