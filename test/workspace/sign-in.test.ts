import { expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { createBrowser, readMail, signInOwner } from "./dashboard.ts";

test("a person signs in with the code of the mail, sees the queue, and is signed out again", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const start = await browser.visit("/dashboard");
  expect([start.status, start.headers.get("location")]).toEqual([302, `/dashboard/${tenant.workspaceId}/queue`]);
  const queue = await browser.visit(`/dashboard/${tenant.workspaceId}/queue`);
  expect(queue.status).toBe(200);
  expect(queue.text).toContain("No posts yet");
  expect(queue.headers.get("content-security-policy")).toMatch(/script-src 'self'; style-src 'self';/);
  expect((await browser.visit("/auth/sign-out", { json: {} })).status).toBe(200);
  expect((await browser.visit("/dashboard")).headers.get("location")).toMatch(/^\/dashboard\/sign-in/);
});

test("a code works once, and a wrong one not at all", async () => {
  const tenant = await createTestTenant();
  await signInOwner(tenant);
  const email = "nobody@example.com";
  const browser = createBrowser();
  const unknown = await browser.visit("/auth/email-otp/send-verification-otp", { json: { email, type: "sign-in" } });
  expect([unknown.status, await readMail(email)]).toEqual([200, undefined]);
  const wrong = await browser.visit("/auth/sign-in/email-otp", { json: { email, otp: "000000" } });
  expect(wrong.status).toBe(400);
  expect(browser.cookies.size).toBe(0);
});
