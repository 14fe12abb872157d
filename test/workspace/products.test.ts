// Products as a page: it is the only place where people make them.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { buildSlide, createProduct, createSlideshow } from "../slideshows/factories.ts";
import { createTestTenant } from "../support/harness.ts";
import { signInMember, signInOwner } from "./dashboard.ts";

test("adds a product, changes it, and deletes it; slideshows about it stay; each is in the audit log", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}/products`;
  await browser.visit(base, { form: { name: "Kettle", description: "It sings." } });
  const page = await browser.visit(base);
  expect(page.text).toContain("Kettle is added");
  const id = /data-id="([0-9a-f-]{36})"/.exec(page.text)?.[1] ?? "";
  const show = await createSlideshow(tenant.api, { slides: [buildSlide("a")], product_id: id });
  await browser.visit(`${base}/${id}`, { form: { name: "Tea kettle", description: "" } });
  expect((await browser.visit(base)).text).toContain("Tea kettle is saved");
  await browser.visit(`${base}/${id}/delete`, { form: {} });
  expect((await browser.visit(base)).text).toContain("The product is deleted");
  expect((await tenant.api.get(`/slideshows/${show.id}`)).body.data.product_id).toBeNull();
  const log = await browser.visit(`/dashboard/${tenant.workspaceId}/audit`);
  for (const words of ["added a product", "changed a product", "deleted a product"]) expect(log.text).toContain(words);
});

test("bad entries name the field and stay", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}/products`;
  const empty = await browser.visit(base, { form: { name: " ", description: "Kept" } });
  expect([empty.status, empty.text.includes("Name: enter the name of the product.")]).toEqual([400, true]);
  expect(empty.text).toContain("Kept</textarea>");
  const id = await createProduct(tenant, "Lamp");
  const long = await browser.visit(`${base}/${id}`, { form: { name: "x".repeat(121) } });
  expect([long.status, long.text.includes("Name: at most 120 characters.")]).toEqual([400, true]);
  expect((await browser.visit(base)).text).toContain("Lamp");
});

test("404 for a product of another workspace, which stays; a viewer has no forms", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const browser = await signInOwner(tenant);
  const id = await createProduct(other, "Theirs");
  const base = `/dashboard/${tenant.workspaceId}/products`;
  for (const path of [`${base}/${id}`, `${base}/${id}/delete`, `${base}/${newId()}/delete`])
    expect((await browser.visit(path, { form: { name: "Mine" } })).status).toBe(404);
  const theirs = await (await signInOwner(other)).visit(`/dashboard/${other.workspaceId}/products`);
  expect(theirs.text).toContain("Theirs");
  await createProduct(tenant, "Ours");
  const seen = await (await signInMember(tenant, "viewer")).visit(base);
  expect(seen.text).toContain("Ours");
  expect(seen.text).not.toMatch(/Add a product|>Delete|>Change/);
});
