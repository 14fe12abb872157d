// Skills and the form of uploads over the official client, and that all documents for agents say the same.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { TOOLS } from "../../functions/mcp/tools.ts";
import { revokeKey } from "../../lib/queries/tenants.ts";
import { at } from "../../lib/shared/at.ts";
import { fillPlaceholders } from "../../lib/shared/well-known.ts";
import { createTestTenant, openTestDatabase, type Tenant, vars } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { connectAgent, createMcpFetch, ORIGIN, sendMcp } from "./agent.ts";

const ASSETS = join(import.meta.dirname, "../../.assets");
const SKILLS = ["post-video-everywhere", "week-of-slideshows", "why-did-it-fail"];
const APP_URI = "ui://partner-api/upload";

let tenant: Tenant;
beforeAll(async () => {
  tenant = await createTestTenant();
});

const readAsset = (path: string) => readFile(join(ASSETS, path), "utf8");

const hash = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

test.each(["2026-07-28", "2025-11-25"] as const)(
  "revision %s lists the skills as resources, and serves the files that the index of this host names",
  async (revision) => {
    const client = await connectAgent(tenant.token, revision);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri).toSorted()).toEqual(
      [...SKILLS.map((name) => `skill://${name}/SKILL.md`), APP_URI].toSorted(),
    );
    const { skills } = JSON.parse(await readAsset("well-known/agent-skills/index.json"));
    expect(skills.map(({ name }: { name: string }) => name)).toEqual(SKILLS);
    for (const { name, url, digest, description, type } of skills) {
      expect([type, url]).toEqual(["skill-md", `/.well-known/agent-skills/${name}/SKILL.md`]);
      const { contents } = await client.readResource({ uri: `skill://${name}/SKILL.md` });
      const [content] = contents;
      if (!content || !("text" in content)) throw new Error(`${name} is no text`);
      expect([content.mimeType, hash(content.text)]).toEqual(["text/markdown", digest]);
      expect(content.text).toContain(`description: ${description}`);
      expect(await readAsset(url.replace("/.well-known/", "well-known/"))).toBe(content.text);
    }
    await expect(client.readResource({ uri: "skill://no-such-skill/SKILL.md" })).rejects.toMatchObject({
      code: -32_602,
    });
  },
);

test("the official host of skills verifies every one: digest, size and frontmatter", async () => {
  const client = await connectAgent(tenant.token);
  const host = new SkillsClient(client);
  expect(host.supported).toBe(true);
  const { skills, ttlMs } = await host.list();
  expect([skills.map(({ frontmatter }) => frontmatter.name), ttlMs]).toEqual([SKILLS, 300_000]);
  for (const skill of skills) {
    expect((await host.get(skill.uri)).skill).toEqual(skill);
    expect(await host.read(skill)).toMatchObject({ verified: true, frontmatter: skill.frontmatter });
  }
  await expect(host.get("skill://no-such-skill/SKILL.md")).rejects.toMatchObject({ code: -32_602 });
});

test("skills and instructions name only tools and skills that exist, and every skill is short", async () => {
  const client = await connectAgent(tenant.token);
  const named = [...(client.getInstructions() ?? "").matchAll(/skill:\/\/([a-z-]+)/g)].map(([, name]) => name);
  expect(named).toEqual(SKILLS);
  const fields = JSON.stringify(await client.listTools());
  for (const name of SKILLS) {
    const text = await readAsset(`well-known/agent-skills/${name}/SKILL.md`);
    const terms = [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, term = ""]) => term);
    const tools = terms.filter((term) => Object.hasOwn(TOOLS, term));
    expect(tools.length).toBeGreaterThan(3);
    const verbs = new Set(Object.keys(TOOLS).map((tool) => tool.split("_")[0]));
    const unknown = terms.filter((term) => !tools.includes(term) && verbs.has(term.split("_")[0]));
    expect([name, unknown.filter((term) => !fields.includes(term))]).toEqual([name, []]);
    expect(countTokens(text)).toBeLessThan(1_000);
  }
});

test("create_upload has a form, whose page may connect to the storage alone", async () => {
  const client = await connectAgent(tenant.token);
  const { tools } = await client.listTools();
  const forms = tools.flatMap(({ name, _meta }) => (_meta?.ui ? [[name, _meta.ui]] : []));
  expect(forms).toEqual([["create_upload", { resourceUri: APP_URI }]]);
  const { contents } = await client.readResource({ uri: APP_URI });
  expect(contents).toMatchObject([
    {
      mimeType: "text/html;profile=mcp-app",
      text: expect.stringMatching(/^<!doctype html>/),
      _meta: { ui: { csp: { connectDomains: [new URL(vars.S3_ENDPOINT ?? "").origin] } } },
    },
  ]);
  const text = JSON.stringify(contents);
  expect(Buffer.byteLength(text)).toBeLessThan(10_000);
  expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|localhost)/);
});

test("the server card, the AI catalog and the server agree", async () => {
  const client = await connectAgent(tenant.token);
  const card = JSON.parse(fillPlaceholders(await readAsset("well-known/server-card.json"), ORIGIN));
  expect(client.getServerVersion()).toMatchObject({ name: card.name, title: card.title, version: card.version });
  expect(card.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(card.description.length).toBeLessThanOrEqual(100);
  const [remote] = card.remotes;
  expect([remote.type, remote.url]).toEqual(["streamable-http", `${ORIGIN}/mcp`]);
  for (const revision of remote.supportedProtocolVersions) {
    expect((await connectAgent(tenant.token, revision)).getNegotiatedProtocolVersion()).toBe(revision);
  }
  const catalog = JSON.parse(fillPlaceholders(await readAsset("well-known/ai-catalog.json"), ORIGIN));
  expect(catalog.entries).toMatchObject([{ url: `${ORIGIN}/mcp/server-card` }]);
});

test("401 for a resource as soon as the key is revoked, and 1 round trip before", async () => {
  const { token } = await createTestTenant();
  const fetch = createMcpFetch();
  const read = async (method: string, params: object) => {
    const requestId = newId();
    const headers = { Authorization: `Bearer ${token}`, "X-Request-Id": requestId };
    const { result, cost } = await measureCost(requestId, () => sendMcp(method, params, headers, fetch));
    return [result.status, cost.round_trips];
  };
  const form = ["resources/read", { uri: APP_URI }] as const;
  await read(...form);
  expect(await read(...form)).toEqual([200, 1]);
  expect(await read("skills/list", {})).toEqual([200, 1]);
  await revokeKey(openTestDatabase(), at(token.split("."), 0));
  for (const [method, params] of [form, ["resources/list", {}], ["skills/list", {}]] as const) {
    expect((await read(method, params))[0]).toBe(401);
  }
});
