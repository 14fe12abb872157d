// Templates as a page.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { buildSlide, createSlideshow } from "../slideshows/factories.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { signInMember, signInOwner } from "./dashboard.ts";

async function createTemplate({ api }: Tenant, name: string): Promise<string> {
  const { id } = await createSlideshow(api, { title: name, slides: [buildSlide(`Words of ${name}`)] });
  return (await api.post(`/templates/from-slideshow/${id}`, { name })).body.data.id;
}

test("a page without own templates leads to the slideshows, which templates are made from", async () => {
  const tenant = await createTestTenant();
  const page = await (await signInOwner(tenant)).visit(`/dashboard/${tenant.workspaceId}/templates`);
  expect(page.text).toContain("No templates of your own yet");
  expect(page.text).toContain(`href="/dashboard/${tenant.workspaceId}/slideshows"`);
});

test("shows the first slide of each, renames and shares one, and deletes it", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}/templates`;
  const [id] = [await createTemplate(tenant, "Calm"), await createTemplate(tenant, "Loud")];
  expect((await browser.visit(base)).text).toMatch(/data-slide="[^"]*Words of Calm/);
  const form = { name: "Quiet", description: "For mornings", visibility: "workspace" };
  await browser.visit(`${base}/${id}`, { form });
  const page = await browser.visit(base);
  expect(page.text).toContain("Quiet is saved");
  expect(page.text).toContain("For mornings");
  expect((await tenant.api.get(`/templates/${id}`)).body.data).toMatchObject(form);
  await browser.visit(`${base}/${id}`, { form: { name: "Loud" } });
  expect((await browser.visit(base)).text).toContain("Another template has this name");
  await browser.visit(`${base}/${id}/delete`, { form: {} });
  expect((await browser.visit(base)).text).toContain("The template is deleted");
  expect((await tenant.api.get(`/templates/${id}`)).status).toBe(404);
});

test("a template of another workspace is neither changed nor deleted, and a viewer has no forms", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const [browser, id] = [await signInOwner(tenant), await createTemplate(other, "Theirs")];
  const base = `/dashboard/${tenant.workspaceId}/templates`;
  for (const path of [`${base}/${id}`, `${base}/${id}/delete`, `${base}/${newId()}/delete`]) {
    expect((await browser.visit(path, { form: { name: "Mine" } })).status).toBe(303);
    expect((await browser.visit(base)).text).toContain("It is no longer there");
  }
  expect((await other.api.get(`/templates/${id}`)).body.data.name).toBe("Theirs");
  await createTemplate(tenant, "Ours");
  const seen = await (await signInMember(tenant, "viewer")).visit(base);
  expect(seen.text).toContain("Ours");
  expect(seen.text).not.toMatch(/Use it|Rename|>Delete/);
});
