// Causes an event of every type, as callers, people, networks and time cause them.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { announceApi } from "../../functions/commands/announce-api.ts";
import { writeTimedEvents } from "../../functions/cron/events.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { insertKey, insertOwner, insertWorkspace, savePlan } from "../../lib/queries/tenants.ts";
import type { Services } from "../../lib/services/context.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { createTarget, listReadingScopes, processRefreshes } from "../analytics/refreshes.ts";
import { createSpokenProject, requestCaptions, SPOKEN_WORDS } from "../editor/factories.ts";
import { uploadDemoVideo, uploadFile } from "../files/upload-file.ts";
import {
  callControl,
  createClient,
  createTestAccount,
  createTestPublisher,
  queryRows,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import {
  behave,
  createSender,
  createTestWebhook,
  listReceived,
  type SentEvent,
  send,
  verify,
} from "../webhooks/receiver.ts";
import { createBrowser, signInOwner } from "../workspace/dashboard.ts";

/** As often as TikTok says that a post is out, but not where. */
const MODERATED_READS = 12;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

interface Post {
  caption: string;
  accounts: TestAccount[];
  url?: string;
}

export async function provokePostEvents(tenant: Tenant): Promise<void> {
  const [instagram, threads, bluesky] = await Promise.all([
    createTestAccount(tenant, "instagram"),
    createTestAccount(tenant, "threads"),
    createTestAccount(tenant, "bluesky"),
  ]);
  const tiktok = await createTestAccount(tenant, "tiktok");
  const url = await uploadDemoVideo(tenant.api);
  await publish(tenant, { caption: "Three ways to brew tea", accounts: [instagram, tiktok], url });
  await refusePost(threads);
  await publish(tenant, { caption: "Tea for winter evenings", accounts: [bluesky, threads] });
  await refusePost(threads);
  await publish(tenant, { caption: "Behind the scenes", accounts: [threads] });
  await publishModerated(tenant, { caption: "How to warm a cup", accounts: [tiktok], url });
  const mistaken = await publish(tenant, { caption: "Tea with a wrong price", accounts: [bluesky] });
  await tenant.api.post(`/posts/${mistaken}/unpublish`, {});

  const lost = await createTestAccount(tenant, "threads");
  const scheduled_at = inDays(2).toISOString();
  await create(tenant, { caption: "Tea for spring", accounts: [lost] }, { scheduled_at });
  await tenant.api.delete(`/accounts/${lost.id}`);
}

async function create({ api }: Tenant, { caption, accounts, url }: Post, more: object = {}): Promise<string> {
  const media = url === undefined ? {} : { media: { type: "video", url } };
  const { status, body } = await api.post("/posts", {
    ...{ caption, accounts: accounts.map(({ id }) => ({ id })), ...media, ...more },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id;
}

/** Publishes until every account has ended and its permalink is known. */
async function publish(tenant: Tenant, post: Post, change: Partial<Services> = {}): Promise<string> {
  const id = await create(tenant, post);
  const { services, advance } = createTestPublisher(new Date(), change);
  for (let round = 0; round < 40; round++) {
    const rows = await queryRows<{ id: string; next: string }>(
      sql`select id, next_attempt_at as next from post_deliveries where post_id = ${id} and next_attempt_at is not null`,
    );
    if (rows.length === 0) return id;
    const next = Math.min(...rows.map((row) => new Date(row.next).getTime()));
    advance(Math.max(1_000, next - services.clock().getTime()));
    await publishDue(
      services,
      rows.map((row) => row.id),
    );
    // The fakes process media in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  throw new Error(`the post ${id} does not end`);
}

/** Publishes on TikTok, which names the address of the post only after it has moderated it. */
async function publishModerated(tenant: Tenant, post: Post): Promise<void> {
  let reads = 0;
  await publish(tenant, post, {
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (!String(input).includes("/status/fetch/")) return response;
      const { data, error } = (await response.json()) as { data: { status: string }; error: object };
      const isModerated = data.status === "PUBLISH_COMPLETE" && ++reads <= MODERATED_READS;
      return Response.json({ error, data: isModerated ? { ...data, publicaly_available_post_id: [] } : data });
    },
  });
}

function refusePost({ platform, externalId }: TestAccount): Promise<unknown> {
  return callControl("POST", "/_behave", { network: platform, account: externalId, answer: "refuse", times: 1 });
}

export async function provokeAccountEvents(tenant: Tenant): Promise<void> {
  const ending = await createTestAccount(tenant, "linkedin", { tokenExpiresAt: inDays(6) });
  await queryRows(sql`update accounts set refresh_token = null where id = ${ending.id}`);
  await writeTimedEvents(createTestPublisher(new Date()).services);
}

export async function provokeContentEvents(tenant: Tenant): Promise<void> {
  const { api } = tenant;
  await uploadFile(api, "video/mp4", Buffer.from("no video"));
  const slides = [{ text_elements: [{ content: "Three reasons for tea", x: 50, y: 40 }], image_url: null }];
  const show = await api.post("/slideshows", { title: "Three reasons for tea", slides });
  await api.post(`/slideshows/${show.body.data.id}/render`, undefined, { "Idempotency-Key": newId() });
  const project = await createSpokenProject(api, 4000, SPOKEN_WORDS);
  await requestCaptions(api, project.project_id);
}

export async function provokeRefreshEvents(tenant: Tenant): Promise<void> {
  const own = await createTestAccount(tenant, "instagram", {
    facts: { posts: 4 },
    scopes: listReadingScopes("instagram"),
  });
  const targets = [
    await createTarget(tenant.api, "instagram", own.username),
    // An account that is not connected cannot be read.
    await createTarget(tenant.api, "tiktok", "tea.example.studio"),
  ];
  for (const target of targets) {
    const { body } = await tenant.api.post(`/analytics/targets/${target}/refresh`);
    await processRefreshes([body.data.refresh.id]);
  }
}

export async function provokeApprovalEvents(tenant: Tenant): Promise<void> {
  const owner = await signInOwner(tenant);
  const account = await createTestAccount(tenant, "bluesky");
  const decisions: Record<string, string>[] = [
    { decision: "approve" },
    { decision: "comment", comment: "Use the other photo." },
  ];
  for (const decision of decisions) {
    const draft = {
      caption: "Tea of the month",
      accounts: [{ id: account.id }],
      scheduled_at: inDays(3).toISOString(),
    };
    const { id } = (await tenant.api.post("/posts/prepare", draft)).body.data;
    const page = `/dashboard/${tenant.workspaceId}/posts/${id}`;
    await owner.visit(`${page}/approvals`, { form: { recipient: "Ann", days: "7" } });
    const [link = ""] = (await owner.visit(page)).text.match(/\/approve\/[\w-]{43}/) ?? [];
    await createBrowser().visit(link, { form: decision });
  }
}

/** Disables a webhook by failures, and returns the test event of another one. */
export async function provokeWebhookEvents(tenant: Tenant): Promise<SentEvent> {
  const failing = await createTestWebhook(tenant, { types: ["account.connected"], description: "Shop" });
  await behave(failing, { status: 503 });
  await queryRows(sql`update webhooks set created_at = ${inDays(-30).toISOString()}, failing_since = ${inDays(-6).toISOString()}
    where id = ${failing.id}`);
  await createTestAccount(tenant, "bluesky");
  await send(createSender(), failing);
  const tested = await createTestWebhook(tenant, { types: ["post.published", "post.failed"] });
  await tenant.api.post(`/webhooks/${tested.id}/test`);
  await send(createSender(), tested);
  const [request] = await listReceived(tested);
  if (!request) throw new Error("the test was not received");
  return verify(tested.secret, request);
}

/** A deployment with one workspace, on a database of its own: `api.changed` goes to every workspace. */
export async function openDeployment() {
  const { database, db, config } = await openSeparateDatabase("deployment");
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  const workspace = await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Test" });
  await savePlan(db, workspace, newId(), { tier: "professional", status: "active", paidUntil: null });
  const key = { id: newId(), name: "test", kind: "key" as const, expiresAt: null, permissions: null };
  const { get } = createClient(await insertKey(db, workspace, key));
  return {
    deploy: (document: string) => announceApi(config, document),
    listEvents: async () => (await get("/events", { env: config })).body.data.events,
    close: () => database.close(),
  };
}

export async function provokeApiEvents() {
  const { deploy, listEvents, close } = await openDeployment();
  for (const title of ["A document", "Another document"]) {
    await deploy(JSON.stringify({ info: { title, version: "1" } }));
  }
  const events = await listEvents();
  await close();
  return events;
}
