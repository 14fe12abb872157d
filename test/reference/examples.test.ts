// Every request example of the OpenAPI document is sent as it stands, and every response example matches its schema.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REFERENCE_FOLDER, readDocumentation } from "../../functions/build/documentation.ts";
import { routes } from "../../functions/routes.ts";
import type { Example } from "../../lib/http/openapi-documentation.ts";
import { createTestTenant } from "../support/harness.ts";
import { createTestMode } from "../support/test-mode.ts";
import { sendContentExamples } from "./content.ts";
import { sendPublishingExamples } from "./publishing.ts";
import { createRecorder } from "./recorder.ts";
import { sendResearchExamples } from "./research.ts";
import { sendWebhookExamples } from "./webhooks.ts";

const recording = process.env.UPDATE_EXAMPLES === "1";

test("200 and 201: every example of the document passes as it is sent", async () => {
  const tenant = await createTestTenant();
  const { examples } = await readDocumentation();
  const recorder = createRecorder(tenant.api, recording, examples as Record<string, Example[]>);
  const files = await sendPublishingExamples(recorder, tenant);
  await sendContentExamples(recorder, tenant, files);
  await sendResearchExamples(recorder, tenant);
  await recorder.send("events.list", { title: "Published posts", query: { types: "post.published", limit: "1" } });
  await sendWebhookExamples(recorder, tenant);
  await recorder.send("requests.list", { title: "The newest", query: { limit: "2" } });
  const [newest] = (await tenant.api.get("/requests?limit=1")).body.data.requests;
  await recorder.send("requests.get", { title: "By its id", params: { requestId: newest.request_id } });
  await recorder.send("subscription.get", { title: "A plan that is not billed here" });
  await recorder.send("workspace-settings.update", { title: "Berlin", body: { time_zone: "Europe/Berlin" } });
  await recorder.send("workspace-settings.get", { title: "In Berlin" });
  const testMode = createRecorder((await createTestMode(tenant)).api, recording, examples as Record<string, Example[]>);
  await testMode.send("sandbox.advance", { title: "An hour later", body: { seconds: 3600 } });
  await testMode.send("sandbox.reset", { title: "From the beginning" });
  Object.assign(recorder.made, testMode.made);
  recorder.problems.push(...testMode.problems);
  await recorder.send("meta.status", { title: "The last hour" });
  await recorder.send("meta.health", { title: "Everything responds" });
  if (recording) await writeExamples(recorder.made);
  expect(recorder.problems).toEqual([]);
  const missing = Object.keys(routes).filter((id) => !recorder.made[id]);
  expect(missing, "endpoints without an example: add one in test/reference").toEqual([]);
});

async function writeExamples(made: Record<string, Example[]>): Promise<void> {
  const folder = join(REFERENCE_FOLDER, "examples");
  await mkdir(folder, { recursive: true });
  for (const [noun, entries] of Map.groupBy(Object.entries(made), ([id]) => id.split(".")[0] ?? id)) {
    await writeFile(join(folder, `${noun}.json`), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}
