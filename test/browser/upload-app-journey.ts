// A person uploads a file in the form of create_upload, which a host of MCP Apps shows in a conversation: the host is that of the
// official package, and enforces the policy that the form asks for.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import type { LocalStack } from "../local/stack.ts";
import { findViolations } from "./axe.ts";
import type { World } from "./journey.ts";
import { callTool, connectAgent, requireResult } from "./mcp-client.ts";

const DEMO_VIDEO = join(import.meta.dirname, "../local/demo.mp4");
const PHOTO = join(import.meta.dirname, "../media/fixtures/baseline.jpg");

interface Told {
  kind: string;
  params: { structuredContent?: { file?: { url: string } }; content?: { text: string }[] };
}

export async function runUploadAppJourney(browser: Browser, stack: LocalStack, world: World): Promise<void> {
  const client = await connectAgent(world, stack.seed.keys.workspace);
  const { tools } = await client.listTools();
  const ui = tools.find(({ name }) => name === "create_upload")?._meta?.ui as { resourceUri: string };
  const host = await startHost(client, ui.resourceUri);
  const context = await browser.newContext({ baseURL: host.origin });
  const page = await context.newPage();
  const [told, called]: [Told[], string[]] = [[], []];
  await page.exposeFunction("keep", (kind: string, params: Told["params"]) => void told.push({ kind, params }));
  await page.exposeFunction("callTool", (name: string, given: object) => {
    called.push(name);
    return callTool(client, name, given);
  });
  try {
    const frame = await openForm(page, client, { contentType: "video/mp4" });
    assert.deepEqual(await findViolations(frame), []);
    await requireBlocked(frame, world.origin);
    await pick(frame, DEMO_VIDEO);
    assert.deepEqual(called, ["complete_upload"]);
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ["context", "message"],
    );
    await requireUsable(client, told);
    world.log("a person uploaded a video in the form of a ticket, and the agent was told its URL");

    called.length = 0;
    const again = await openForm(page, client, { contentType: "video/mp4" });
    await pick(again, PHOTO);
    assert.deepEqual(called, ["create_upload", "complete_upload"]);
    world.log("for a file of another type the form asked for a ticket of its own");
  } finally {
    await context.close();
    await host.close();
    await client.close();
  }
}

/** Serves the page of the host and, with the policy that a host makes of its metadata, the form. */
async function startHost(client: Client, uri: string) {
  const { contents } = await client.readResource({ uri });
  const [form] = contents;
  assert.ok(form && "text" in form && form.mimeType === "text/html;profile=mcp-app");
  const { ui } = form._meta as { ui: { csp: { connectDomains: string[] } } };
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "app-host-page.ts")],
    bundle: true,
    write: false,
    format: "esm",
  });
  // As the specification writes it, section "Content Security Policy Enforcement".
  const policy = `default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; connect-src 'self' ${ui.csp.connectDomains.join(" ")}; img-src 'self' data:; frame-src 'none'; object-src 'none'; base-uri 'self'`;
  const files: Record<string, [type: string, text: string]> = {
    "/": [
      "text/html",
      '<!doctype html><html lang="en"><title>Host</title><body><script type="module" src="/host.js"></script></body></html>',
    ],
    "/host.js": ["text/javascript", outputFiles[0]?.text ?? ""],
    "/view": ["text/html", form.text],
  };
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files[url] ?? [];
    const headers = {
      "Content-Type": `${type}; charset=utf-8`,
      ...(url === "/view" ? { "Content-Security-Policy": policy } : {}),
    };
    response.writeHead(type ? 200 : 404, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** The agent calls the tool, and the host shows the form. */
async function openForm(page: Page, client: Client, given: { contentType: string }): Promise<Frame> {
  const result = await callTool(client, "create_upload", given);
  await page.goto("/");
  await page.evaluate(`showForm(${JSON.stringify(given)}, ${JSON.stringify(result)})`);
  const frame = page.frames().find((one) => one.url().endsWith("/view"));
  assert.ok(frame);
  await frame.getByText("Ready.").waitFor();
  return frame;
}

async function pick(frame: Frame, path: string): Promise<void> {
  await frame.locator("#file").setInputFiles(path);
  await frame.getByText(/ is uploaded\.$/).waitFor();
  assert.equal(await frame.locator("#progress").isVisible(), false);
}

/** The form can reach the storage alone. */
async function requireBlocked(frame: Frame, origin: string): Promise<void> {
  const outcome = await frame.evaluate<string>(
    `fetch(${JSON.stringify(`${origin}/llms.txt`)}).then(() => "open", () => "blocked")`,
  );
  assert.equal(outcome, "blocked");
}

async function requireUsable(client: Client, told: Told[]): Promise<void> {
  const url = told[0]?.params.structuredContent?.file?.url ?? "";
  assert.ok(told[1]?.params.content?.[0]?.text.includes(url));
  const { accounts } = (await requireResult(client, "list_accounts")) as {
    accounts: { id: string; platform: string }[];
  };
  const account = accounts.find(({ platform }) => platform === "youtube");
  const media = { type: "video", url };
  const draft = await requireResult(client, "prepare_post", {
    caption: "By a form",
    accounts: [{ id: account?.id }],
    media,
  });
  assert.deepEqual(
    (draft.checks as { ok: boolean }[]).map(({ ok }) => ok),
    [true],
  );
}
