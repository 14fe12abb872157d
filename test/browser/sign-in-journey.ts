// The link of a sign-in mail, and codes as people paste them.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { OWNER_EMAIL } from "../local/seed.ts";
import type { World } from "./journey.ts";
import { waitFor } from "./wait-for.ts";

/** The link signs in by itself in the browser that asked for it, and asks for a click in any other. */
export async function runSignInJourney(browser: Browser, { origin, mailsUrl, log }: World): Promise<void> {
  const open = async () => (await browser.newContext({ baseURL: origin })).newPage();
  const [asking, other, pasting] = [await open(), await open(), await open()];
  const { link, code } = await askForCode(asking, mailsUrl);

  await other.goto(link);
  await other.locator("#other-browser").waitFor();
  assert.equal(await other.inputValue("#code"), code);
  await sleep(500);
  assert.match(other.url(), /\/sign-in$/, "the link signed a browser in that did not ask for it");
  await other.getByRole("button", { name: `Sign in as ${OWNER_EMAIL}` }).waitFor();
  log("a sign-in link in another browser fills in the code, and asks");

  const tab = await asking.context().newPage();
  await tab.goto(link);
  await tab.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
  log("the same link signs in where it was asked for");

  const { code: next } = await askForCode(pasting, mailsUrl, code);
  const wide = next.slice(3).replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  await pasting.locator("#code").focus();
  await pasting.keyboard.insertText(` ${next.slice(0, 3)}-\u200b${wide}`);
  await pasting.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
  log("a code with a space, a dash, a zero-width space and full-width digits signs in");
  for (const page of [asking, other, pasting]) await page.context().close();
}

/** Returns the newest mail's link and code, once it is not that of an earlier mail. */
async function askForCode(page: Page, mailsUrl: string, earlier = ""): Promise<{ link: string; code: string }> {
  await page.goto("/dashboard/sign-in");
  await page.fill("#email", OWNER_EMAIL);
  await page.click("#email-form button");
  await page.waitForSelector("#code-form:not([hidden])");
  let [link, code] = ["", ""];
  await waitFor(async () => {
    const mails: { to: string[]; text: string }[] = await (await fetch(mailsUrl)).json();
    const text = mails.find(({ to }) => to.includes(OWNER_EMAIL))?.text ?? "";
    [link = "", code = ""] = /http\S+#(\d{6})/.exec(text) ?? [];
    return code !== "" && code !== earlier;
  });
  return { link, code };
}
