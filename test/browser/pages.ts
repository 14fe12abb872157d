// The pages of the dashboard, in a workspace that is in use, in an empty one and in a very full one.
import type { BrowserContext, Page } from "playwright-core";
import { PERMISSIONS } from "../../lib/shared/permissions.ts";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { requestApproval } from "./approval-journey.ts";
import { type ListedPage, TIME_ZONE } from "./check-pages.ts";

/** The sign-in page, what the navigation leads to, and the pages behind those. */
export async function listPages(context: BrowserContext, base: string): Promise<ListedPage[]> {
  const page = await context.newPage();
  await page.goto(`${base}/queue`);
  const listPaths = (selector: string) =>
    page.locator(selector).evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const [nav, posts] = [await listNavigation(context, base), await listPaths("li.post h2 a")];
  const behind = await Promise.all(
    nav.map(async (path) => {
      const response = await context.request.get(path);
      const [, deeper] = (await response.text()).match(/href="([^"]+)" data-deeper/) ?? [];
      return deeper ? [{ name: `${getLastPart(path)}-one`, path: deeper }] : [];
    }),
  );
  const webhook = behind.flat().find(({ name }) => name === "webhooks-one")?.path;
  await page.goto(webhook ?? "");
  const [delivery] = await listPaths("#live li a");
  const project = behind.flat().find(({ name }) => name === "projects-one")?.path;
  await page.goto(`${base}/queue?status=draft`);
  const [draft] = await listPaths("li.post h2 a");
  const approval = await requestApproval(page, draft ?? "", "Ann of Lofoten Knitwear");
  await page.close();
  return [
    { name: "sign-in", path: "/dashboard/sign-in", isPublic: true },
    { name: "consent", path: await findConsent(context) },
    { name: "approval", path: approval, isPublic: true, prepare: requireOwnTimes },
    ...nav.map((path) => ({ name: getLastPart(path), path })),
    { name: "passkeys", path: "/dashboard/passkeys" },
    { name: "notifications", path: `${base}/notifications` },
    { name: "analytics-posts", path: `${base}/analytics/posts` },
    { name: "trends-brief", path: `${base}/trends?keyword=skincare` },
    { name: "compose", path: `${base}/compose` },
    { name: "compose-filled", path: `${base}/compose`, prepare: fillComposer },
    ...posts.slice(0, 1).map((path) => ({ name: "post", path })),
    ...behind.flat(),
    ...(delivery ? [{ name: "webhooks-delivery", path: delivery }] : []),
    { name: "webhooks-new", path: `${base}/webhooks`, prepare: chooseTypes },
    ...(project ? [{ name: "projects-text", path: project, prepare: chooseCaption }] : []),
  ];
}

/** The page on which an app asks for everything. */
async function findConsent(context: BrowserContext): Promise<string> {
  const redirectUri = "https://planner.example/callback";
  const data = { client_name: "Planner", redirect_uris: [redirectUri] };
  const { client_id: id } = await (await context.request.post("/oauth/register", { data })).json();
  const request = { client_id: id, redirect_uri: redirectUri, response_type: "code", scope: PERMISSIONS.join(" ") };
  const pkce = { code_challenge: "a".repeat(43), code_challenge_method: "S256" };
  return `/oauth/authorize?${new URLSearchParams({ ...request, ...pkce })}`;
}

const getLastPart = (path: string) => path.split("/").at(-1) ?? "";

/** A public page is in the time zone of its browser. */
async function requireOwnTimes(page: Page): Promise<void> {
  await page.locator("time", { hasText: `(${TIME_ZONE})` }).waitFor();
}

/** A promoted video for TikTok and Instagram, as it is before it is published. */
async function fillComposer(page: Page): Promise<void> {
  await page.setInputFiles("#files", DEMO_VIDEO);
  await page.fill("#caption", "Before anybody is up, the pier belongs to the gulls.");
  for (const platform of ["tiktok", "instagram"]) {
    await page.locator(`input[data-platform=${platform}][data-type=byo]`).first().check();
  }
  await page.selectOption("#tiktok-privacy", "PUBLIC_TO_EVERYONE");
  await page.check("#tiktok-comment");
  await page.check("#tiktok-commercial");
  if (!(await page.isDisabled("#publish")))
    throw new Error("Publishing is possible before it is said what is promoted.");
  await page.check("#tiktok-branded");
  await page.locator("#uploads li[data-url]").waitFor();
  await page.locator("#result .preview canvas").first().waitFor();
  await page.getByText("Everything fits").first().waitFor();
}

async function chooseCaption(page: Page): Promise<void> {
  await page.locator(".texts a").nth(1).click();
  await page.locator("#edit textarea").waitFor();
}

/** The form of a new webhook with all its types. */
async function chooseTypes(page: Page): Promise<void> {
  await page.getByText("Add a webhook", { exact: true }).click();
  await page.getByText("Only these").click();
  await page.getByLabel("Post published").check();
}

/** The pages of a workspace without anything, and the forms that make its first things. */
export async function listEmptyPages(context: BrowserContext, base: string): Promise<ListedPage[]> {
  const forms = ["compose", "slideshows/new", "analytics/posts", "notifications"];
  const paths = [...(await listNavigation(context, base)), ...forms.map((path) => `${base}/${path}`)];
  return paths.map((path) => ({ name: `empty-${path.slice(base.length + 1).replace("/", "-")}`, path }));
}

/** The pages whose content grows with the workspace. */
export async function listFullPages(context: BrowserContext, base: string): Promise<ListedPage[]> {
  const views = ["calendar?view=month", "calendar?view=week", "calendar?view=day", "slideshows/new", "analytics/posts"];
  const paths = [...(await listNavigation(context, base)), ...views.map((path) => `${base}/${path}`)];
  return paths.map((path) => ({ name: `full-${path.slice(base.length + 1).replaceAll(/\W+/g, "-")}`, path }));
}

async function listNavigation(context: BrowserContext, base: string): Promise<string[]> {
  const page = await context.newPage();
  await page.goto(`${base}/queue`);
  const links = page.locator(".side nav li a");
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  await page.close();
  return paths;
}
