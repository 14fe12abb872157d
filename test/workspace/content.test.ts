// Slideshows as pages.
import { expect, test } from "vitest";
import { buildSlide, createSlideshow } from "../slideshows/factories.ts";
import { createTestTenant } from "../support/harness.ts";
import { signInOwner } from "./dashboard.ts";

test("lists slideshows, finds one by its title, and shows its slides", async () => {
  const tenant = await createTestTenant();
  const base = `/dashboard/${tenant.workspaceId}/slideshows`;
  const browser = await signInOwner(tenant);
  expect((await browser.visit(base)).text).toContain("No slideshows yet");
  const slides = [buildSlide("Sand"), buildSlide("Moss")];
  const { id } = await createSlideshow(tenant.api, { title: "Linen & light", slides });
  const list = await browser.visit(base);
  expect(list.text).toContain(`href="${base}/${id}"`);
  expect(list.text).toContain("Linen &amp; light");
  expect((await browser.visit(`${base}?search=wool`)).text).toContain("No slideshow matches");
  expect((await browser.visit(`${base}/${id}`)).text).toContain("Slide 2");
});

test("404 for a slideshow of another workspace", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const { id } = await createSlideshow(other.api, { title: "Theirs", slides: [buildSlide("a")] });
  const page = await (await signInOwner(tenant)).visit(`/dashboard/${tenant.workspaceId}/slideshows/${id}`);
  expect(page.status).toBe(404);
  expect(page.text).not.toContain("Theirs");
});
