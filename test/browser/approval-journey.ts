// A reviewer without an account opens approval links on a phone, by touch: asks for a change, then approves. The creator sees
// both, and changes the draft in between.
import type { Browser, Page } from "playwright-core";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import type { Call } from "./call-api.ts";
import { openPhone, requireFit } from "./hands.ts";
import type { World } from "./journey.ts";
import { waitFor } from "./wait-for.ts";

const REVIEWER = "Ann of Lofoten Knitwear";
const COMMENT = "Please name the town in the first line.";
const PUBLISH_TIMEOUT_MS = 120_000;

export async function runApprovalJourney(browser: Browser, page: Page, base: string, call: Call, world: World) {
  const { origin, log } = world;
  const { id, imageCount } = await prepareDraft(call);
  const path = `${base}/posts/${id}`;
  const context = await openPhone(browser, origin);
  const phone = await context.newPage();

  const first = await requestApproval(page, path, REVIEWER);
  await phone.goto(first);
  await requireFit(phone);
  const preview = phone.locator(".preview.instagram");
  await preview.getByText("Wool from three islands").waitFor();
  await preview.locator("img").first().scrollIntoViewIfNeeded();
  await preview
    .locator("img")
    .nth(imageCount - 1)
    .waitFor();
  const picture = preview.locator("img").first();
  await waitFor(() => picture.evaluate((image) => "naturalWidth" in image && Number(image.naturalWidth) > 0));
  log("a reviewer opened the link on a phone, without an account, and saw the pictures");

  await phone.getByText("No, something has to change").tap();
  await phone.locator("#comment").fill(COMMENT);
  await requireFit(phone);
  await phone.getByRole("button", { name: "Reject the post" }).tap();
  await phone.getByRole("heading", { name: "Sent" }).waitFor();
  await phone.reload();
  await phone.getByRole("heading", { name: "Sent" }).waitFor();
  await page.reload();
  await page.getByText(`Changes requested: ${COMMENT}`).waitFor();
  log("asked for a change by touch, which the creator reads beside the draft");

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page
    .locator("#uploads li[data-url]")
    .nth(imageCount - 1)
    .waitFor();
  await page.fill("#caption", "From Lofoten: wool from three islands");
  await page.locator("#save-state", { hasText: /^Saved$/ }).waitFor();

  const second = await requestApproval(page, path, REVIEWER);
  await phone.goto(second);
  await phone.getByText("From Lofoten: wool from three islands").first().waitFor();
  await phone.getByRole("button", { name: "Approve" }).tap();
  await phone.getByRole("heading", { name: "Approved" }).waitFor();
  await page.reload();
  await page.getByText("approved it").waitFor();
  await page.locator(".delivery.posted").nth(1).waitFor({ timeout: PUBLISH_TIMEOUT_MS });
  await context.close();
  log("approved the changed post by touch: the creator saw it, and it went out on both networks");
}

/** Opens the page of a draft, and returns the path of a new approval link for it. */
export async function requestApproval(page: Page, draft: string, recipient: string): Promise<string> {
  await page.goto(draft);
  await page.fill("input[name=recipient]", recipient);
  await page.getByRole("button", { name: "Get a link" }).click();
  const text = (await page.locator(".secret code").textContent()) ?? "";
  return new URL(text).pathname;
}

/** A draft of rendered slides. */
async function prepareDraft(call: Call): Promise<{ id: string; imageCount: number }> {
  const slides = ["Wool", "Three islands"].map((content) => ({
    text_elements: [{ content, x: 50, y: 40 }],
    image_url: null,
  }));
  const { id: slideshowId } = await call<Slideshow>("POST", "/slideshows", { title: "Wool", slides });
  const rendered = await call<Slideshow>("POST", `/slideshows/${slideshowId}/render`, undefined);
  const urls = rendered.slides.flatMap(({ rendered_image_url: url }) => url ?? []);
  const { accounts } = await call<{ accounts: { id: string; platform: string; status: string }[] }>(
    "GET",
    "/accounts",
    undefined,
  );
  const chosen = ["instagram", "threads"].flatMap(
    (platform) => accounts.find((one) => one.platform === platform && one.status === "active") ?? [],
  );
  const { id } = await call<{ id: string }>("POST", "/posts/prepare", {
    caption: "Wool from three islands",
    media: { type: "slideshow", urls },
    accounts: chosen.map((account) => ({ id: account.id })),
  });
  return { id, imageCount: urls.length };
}
