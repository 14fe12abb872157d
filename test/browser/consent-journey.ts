// An agent signs in by itself: the official client of the Model Context Protocol finds the authorization server from a 401 of /mcp and
// registers; a person who is signed out opens its link, signs in, unticks what it should not do, and ends its access later.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { publishByApproval } from "./agent-journey.ts";
import { findViolations } from "./axe.ts";
import { openPhone, requireFit } from "./hands.ts";
import { fillSignIn, type World } from "./journey.ts";
import { requireResult as call } from "./mcp-client.ts";

const NAME = "Planning agent";

/** `page` is signed in, at `base` of the workspace. */
export async function runConsentJourney(
  browser: Browser,
  page: Page,
  base: string,
  world: World,
  screenshots: string,
): Promise<void> {
  const callback = await listenForCode();
  const agent = createAgent(callback.url);
  const connect = () =>
    new StreamableHTTPClientTransport(new URL(`${world.origin}/mcp`), { authProvider: agent.provider });
  const refused = connect();
  await assert.rejects(new Client({ name: NAME, version: "1.0.0" }).connect(refused), UnauthorizedError);
  const link = agent.link();
  world.log("an agent found the authorization server by a 401, and registered");

  await page.goto(link);
  await page.getByRole("heading", { name: `${NAME} asks for access` }).waitFor();
  await requireFit(page);
  assert.deepEqual(await findViolations(page), []);
  await page.screenshot({ path: join(screenshots, "consent-desk.png"), fullPage: true });
  await page.getByRole("link", { name: "Cancel" }).click({ trial: true });

  const context = await openPhone(browser, world.origin);
  const phone = await context.newPage();
  await phone.goto(link);
  await fillSignIn(phone, world);
  await phone.getByRole("heading", { name: `${NAME} asks for access` }).waitFor();
  // The other link is the same workspace in test mode.
  await phone.getByRole("link", { name: "North Light owner", exact: true }).tap();
  await phone.waitForURL(/workspace=/);
  await requireFit(phone);
  assert.deepEqual(await findViolations(phone), []);
  await phone.screenshot({ path: join(screenshots, "consent-phone.png"), fullPage: true });
  await phone.getByRole("link", { name: "Drafts only" }).tap();
  await phone.waitForURL(/preset=drafts/);
  await phone.getByLabel("Write drafts").waitFor();
  assert.equal(await phone.getByLabel("Publish, schedule").isChecked(), false);
  for (const box of await phone.locator("input[name=accounts]").all()) await box.uncheck();
  const only = phone.getByLabel(/YouTube/).first();
  await only.check();
  const accountId = (await only.getAttribute("value")) ?? "";
  await phone.getByRole("button", { name: "Allow" }).tap();
  await refused.finishAuth(await callback.parameters);
  await context.close();
  world.log("a person signed in on a phone, chose drafts only and one account, and allowed it");

  const client = new Client({ name: NAME, version: "1.0.0" });
  await client.connect(connect());
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  assert.ok(tools.includes("prepare_post") && !tools.includes("commit_post"));
  const listed = (await call(client, "list_accounts")).accounts as { id: string }[];
  assert.deepEqual(
    listed.map(({ id }) => id),
    [accountId],
  );
  world.log(`it has ${tools.length} tools and one account`);
  await publishByApproval(browser, world, client, { accountId, caption: "From an agent with a consent" });

  await page.goto(`${base}/grants`);
  const record = page.locator("li.record", { hasText: NAME });
  await record.getByText("an app on this computer").waitFor();
  page.once("dialog", (dialog) => void dialog.accept());
  await record.getByRole("button", { name: "End access" }).click();
  await page.getByText("The access has ended.").waitFor();
  // It tries to refresh its tokens, too.
  await assert.rejects(client.listTools(), /its grant has ended/);
  await client.close();
  world.log("its access was ended under Connected apps, and its next request was refused");
}

/** The values that the client keeps between its requests. */
function createAgent(redirectUrl: string) {
  let [registration, tokens, verifier, link]: [
    OAuthClientInformationMixed | undefined,
    OAuthTokens | undefined,
    string,
    string,
  ] = [undefined, undefined, "", ""];
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: NAME, redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
    clientInformation: () => registration,
    saveClientInformation: (given) => {
      registration = given;
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: (url) => {
      link = url.href;
    },
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
  };
  return { provider, link: () => link };
}

/** The page that the browser returns to. */
async function listenForCode(): Promise<{ url: string; parameters: Promise<URLSearchParams> }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const parameters = (async () => {
    const [request, response] = await once(server, "request");
    response.end("You can close this page.");
    server.close();
    return new URL(request.url, "http://127.0.0.1").searchParams;
  })();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, parameters };
}
