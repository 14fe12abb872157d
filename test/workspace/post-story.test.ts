// The page of a post tells who made it, every step of its accounts and what comes next, in words.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant, queryRows } from "../support/harness.ts";
import { signInOwner } from "./dashboard.ts";

test("the story has who made it, each step in words, what the network said, and the next check", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const account = await createTestAccount(tenant, "bluesky");
  const body = { caption: "Told", accounts: [{ id: account.id }], scheduled_at: "2031-03-12T10:30:00.000Z" };
  const { id } = (await tenant.api.post("/posts", body)).body.data;
  const steps = [
    ["prepare", "ready", null, null],
    ["publish", "unknown", "timeout", "Bluesky did not respond in time."],
    ["a step without words", "of no kind", "secret_code", null],
  ];
  for (const [at, [step, outcome, code, message]] of steps.entries()) {
    await queryRows(sql`
      insert into delivery_attempts (delivery_id, attempt, step, outcome, code, message, at)
      select id, ${at}::int, ${step}, ${outcome}, ${code}, ${message}, now() from post_deliveries where post_id = ${id}
      returning id`);
  }
  for (const caption of ["Told again", "Told at last"]) await tenant.api.patch(`/posts/${id}`, { caption });
  const { text } = await browser.visit(`/dashboard/${tenant.workspaceId}/posts/${id}`);
  const [, story = ""] = text.match(/<ol class="trace story">(.*?)<\/ol>/s) ?? [];
  expect(story).toContain("(API key)</strong> created a post.");
  expect(story).toContain("(API key)</strong> changed a post 2 times.");
  expect(story).toContain(`Bluesky ${account.username}:</strong> Everything is uploaded and prepared`);
  expect(story).toContain("Bluesky did not respond in time.");
  expect(story).toMatch(/<li class="next">.*it goes out/s);
  for (const technical of ["secret_code", "timeout", "without words", id]) expect(story).not.toContain(technical);
  expect(text).toContain("12 Mar 2031, 10:30 (UTC)");
});
