// From a failed post to the mail about it, by the cron of the deployed Workers, and out of these mails again.
import type { Page } from "playwright-core";
import { OWNER_EMAIL } from "../local/seed.ts";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";
import { waitFor } from "./wait-for.ts";

const TIMEOUT_MS = 60_000;

export async function runNotificationsJourney(page: Page, base: string, call: Call, world: World): Promise<void> {
  const { log, networksUrl } = world;
  await page.goto(`${base}/notifications`);
  await page.getByLabel("At once").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const { accounts } = await call<{ accounts: { id: string; platform: string }[] }>("GET", "/accounts", undefined);
  const script = { network: "bluesky", answer: "refuse", code: "InvalidRequest", times: 1 };
  const scripted = await fetch(`${networksUrl}/_behave`, { method: "POST", body: JSON.stringify(script) });
  if (!scripted.ok) throw new Error(`the networks responded with ${scripted.status}`);
  const bluesky = accounts.find(({ platform }) => platform === "bluesky");
  const post = await call<{ id: string }>("POST", "/posts", { caption: "It fails", accounts: [{ id: bluesky?.id }] });
  const text = await waitForMail(world.mailsUrl, post.id);
  log(`a post failed, and the mail says: ${text.split("\n")[0]}`);

  const [link = ""] = text.match(/http\S+\/unsubscribe\/\S+/) ?? [];
  await page.goto(new URL(link).pathname);
  await page.getByRole("button", { name: "Send me no more mails" }).click();
  await page.getByRole("heading", { name: "Done" }).waitFor();
  await page.goto(`${base}/notifications`);
  if (!(await page.getByLabel("Never").isChecked())) throw new Error("The link did not end the mails.");
  log("the link in the mail ended these mails");
}

async function waitForMail(mailsUrl: string, postId: string): Promise<string> {
  let found: string | undefined;
  await waitFor(async () => {
    const mails: { to: string[]; subject: string; text: string }[] = await (await fetch(mailsUrl)).json();
    found = mails.find(({ to, text }) => to.includes(OWNER_EMAIL) && text.includes(postId))?.text;
    return found !== undefined;
  }, TIMEOUT_MS);
  return found ?? "";
}
