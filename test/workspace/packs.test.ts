// Packs as pages: pictures are added by their addresses and taken out again.
import { expect, test } from "vitest";
import { createPack } from "../slideshows/factories.ts";
import { createTestTenant } from "../support/harness.ts";
import { signInMember, signInOwner } from "./dashboard.ts";

test("makes a pack in the empty list, renames it, and deletes it", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}/packs`;
  expect((await browser.visit(base)).text).toMatch(/<details class="card" open=""|<details class="card" open>/);
  const path = (await browser.visit(base, { form: { name: "Calm rooms" } })).headers.get("location") ?? "";
  expect((await browser.visit(path)).text).toContain("Calm rooms is made. Add pictures to it.");
  await browser.visit(path, { form: { name: "Quiet rooms" } });
  expect((await browser.visit(base)).text).toContain("Quiet rooms");
  await browser.visit(`${path}/delete`, { form: {} });
  expect((await browser.visit(base)).text).toContain("The pack is deleted");
  expect((await browser.visit(path)).status).toBe(404);
});

test("addresses that are no pictures stay in the field, each with a reason", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const pack = await createPack(tenant, [], false);
  const path = `/dashboard/${tenant.workspaceId}/packs/${pack}`;
  const addresses = "https://gone.invalid/a.jpg not-an-address";
  const page = await browser.visit(`${path}/images`, { form: { addresses } });
  expect(page.status).toBe(422);
  expect(page.text).toContain("https://gone.invalid/a.jpg: This picture could not be loaded");
  expect(page.text).toContain("not-an-address: ");
  expect(page.text).toMatch(/<textarea[^>]*>https:\/\/gone.invalid\/a.jpg\s+not-an-address/);
  expect((await browser.visit(`${path}/images`, { form: { addresses: " " } })).text).toContain("enter at least one");
});

test("shows the pictures of a pack, and takes one out", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const pack = await createPack(tenant, ["https://cdn.example.com/1.png", "https://cdn.example.com/2.png"], false);
  const path = `/dashboard/${tenant.workspaceId}/packs/${pack}`;
  expect((await browser.visit(path)).text).toContain("https://cdn.example.com/2.png");
  const [image] = (await tenant.api.get(`/packs/${pack}`)).body.data.images;
  await browser.visit(`${path}/images/${image.id}/delete`, { form: {} });
  const page = await browser.visit(path);
  expect(page.text).toContain("The picture is out of the pack");
  expect(page.text).not.toContain(image.url);
});

test("a public pack of somebody else is marked and read, not changed", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const browser = await signInOwner(tenant);
  const [open, closed] = [
    await createPack(other, ["https://cdn.example.com/public.png"], true),
    await createPack(other, ["https://cdn.example.com/own.png"], false),
  ];
  const base = `/dashboard/${tenant.workspaceId}/packs`;
  const page = await browser.visit(`${base}/${open}`);
  expect(page.text).toContain("it belongs to somebody else");
  expect(page.text).not.toMatch(/Add pictures|Remove|Rename/);
  const rename = await browser.visit(`${base}/${open}`, { form: { name: "Mine" } });
  expect((await browser.visit(rename.headers.get("location") ?? "")).text).toContain("belongs to somebody else");
  expect((await browser.visit(`${base}/${closed}`)).status).toBe(404);
});

test("a viewer sees the pictures and no forms", async () => {
  const tenant = await createTestTenant();
  const pack = await createPack(tenant, ["https://cdn.example.com/1.png"], false);
  const viewer = await signInMember(tenant, "viewer");
  const base = `/dashboard/${tenant.workspaceId}/packs`;
  expect((await viewer.visit(base)).text).not.toContain("New pack");
  const page = await viewer.visit(`${base}/${pack}`);
  expect(page.text).toContain("https://cdn.example.com/1.png");
  expect(page.text).not.toMatch(/Add pictures|Remove|Rename/);
});
