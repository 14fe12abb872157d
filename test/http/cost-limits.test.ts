// The rate limits of everything that costs: outside URLs, renders, post checks and finalizes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { consumeRateLimits, POLICIES, type PolicyName, peekRateLimits } from "../../lib/http/rate-limits.ts";
import { openServices } from "../../lib/services/context.ts";
import { createPack } from "../packs/factories.ts";
import { serveBytes, startImageHost } from "../packs/image-host.ts";
import { buildSlide, createSlideshow } from "../slideshows/factories.ts";
import {
  createBindings,
  createTestAccount,
  createTestTenant,
  openTestRedis,
  queryRows,
  type Tenant,
} from "../support/harness.ts";

const { redis } = openServices(createBindings([]), newId(), () => undefined);
const local = openTestRedis();
const OUTSIDE = "http://203.0.113.7/a.png";
const MEDIA = { type: "slideshow", urls: [OUTSIDE] };

// A window must not end during a test.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const getScopeId = ({ workspaceId, ownerId }: Tenant) => workspaceId ?? ownerId;

async function exhaust(tenant: Tenant, name: PolicyName) {
  await consumeRateLimits(redis, [name], getScopeId(tenant), new Date(), { [name]: POLICIES[name].quota });
}

interface Sent {
  method?: string;
  path: string;
  body?: unknown;
  key?: string;
}

/** Every operation that costs, with the limits that it consumes. */
async function buildRequests(tenant: Tenant): Promise<[PolicyName, Sent][]> {
  const { id: account } = await createTestAccount(tenant, "instagram");
  const post = { caption: "a", accounts: [{ id: account }] };
  const draft = (await tenant.api.post("/posts/prepare", post)).body.data.id;
  const upload = (await tenant.api.post("/files", { contentType: "image/png" })).body.data.id;
  const pack = await createPack(tenant.api);
  const slideshow = await createSlideshow(tenant.api, { slides: [buildSlide("a", { image_url: OUTSIDE })] });
  const parts = { parts: [{ partNumber: 1, etag: "a" }] };
  return [
    ["file_finalizes", { path: `/files/${upload}/finalize`, key: newId() }],
    ["file_finalizes", { path: `/files/multipart/${upload}/complete`, body: parts, key: newId() }],
    ["renders", { path: `/slideshows/${slideshow.id}/render` }],
    ["outside_urls", { path: `/slideshows/${slideshow.id}/render` }],
    ["outside_urls", { path: `/packs/${pack.id}/images`, body: { image_url: OUTSIDE } }],
    ["outside_urls", { path: "/posts", body: { ...post, media: MEDIA } }],
    ["outside_urls", { path: "/posts/prepare", body: { ...post, media: MEDIA } }],
    ["outside_urls", { method: "PATCH", path: `/posts/${draft}`, body: { media: MEDIA } }],
    ["outside_urls", { path: `/webhooks/${newId()}/test` }],
    ["outside_urls", { path: `/webhooks/${newId()}/deliveries/${newId()}/redeliver` }],
    ["post_checks", { path: "/posts/prepare", body: post }],
    ["published_changes", { path: `/posts/${draft}/unpublish`, body: {} }],
    ["published_changes", { path: `/posts/${draft}/edit-published`, body: { caption: "b" } }],
    ["post_checks", { path: `/posts/${draft}/commit`, body: {} }],
    ["post_checks", { method: "PATCH", path: `/posts/${draft}`, body: { caption: "b" } }],
  ];
}

const send = (tenant: Tenant, { method = "POST", path, body, key }: Sent) =>
  tenant.api.call(method, path, { body, ...(key ? { headers: { "Idempotency-Key": key } } : {}) });

test("429 names the exceeded limit of each operation that costs, and Retry-After", async () => {
  const tenant = await createTestTenant();
  const requests = await buildRequests(tenant);
  for (const [name, request] of requests) {
    await exhaust(tenant, name);
    const response = await send(tenant, request);
    expect([name, request.path, response.status, response.body.error_code]).toEqual([
      name,
      request.path,
      429,
      "rate_limited",
    ]);
    expect(response.body.message).toContain(`"${name}" of ${POLICIES[name].quota} per 60 s`);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    await local.del(...(await local.keys(`limit:${name}:${getScopeId(tenant)}:*`)));
  }
});

test("201 for a post whose media is not outside, when the limit of outside URLs is exceeded", async () => {
  const tenant = await createTestTenant();
  const { id } = await createTestAccount(tenant, "linkedin");
  await exhaust(tenant, "outside_urls");
  const response = await tenant.api.post("/posts", { caption: "a", accounts: [{ id }] });
  expect([response.status, response.headers.get("ratelimit-policy")]).toEqual([201, '"outside_urls";q=3000;w=60']);
});

/** The other operations with limits, most of them billed by others. Nothing has these ids: rejected requests find out nothing. */
const BILLED: Sent[] = [
  { path: "/accounts/connect-links", body: {} },
  { method: "GET", path: `/accounts/${newId()}/options` },
  { path: "/files", body: { contentType: "image/png" } },
  { path: "/files/multipart", body: { contentType: "video/mp4", size: 20_000_000 } },
  { path: "/sandbox/advance", body: { seconds: 60 } },
  { path: "/slideshows/generate", body: { prompt: "Three facts about cats" } },
  { path: `/slideshows/${newId()}/slides/0/regenerate`, body: {} },
  { method: "GET", path: "/viral-library?q=cats&limit=40" },
  { method: "GET", path: `/viral-library/${newId()}` },
  { method: "GET", path: `/viral-library/${newId()}/transcript` },
];

test("401 and 402 consume no limit, own or shared, with a key that the isolate knows", async () => {
  // Windows of their own: the shared limits are consumed by other tests at the same time.
  vi.setSystemTime(Date.now() + (1 + Math.floor(Math.random() * 20)) * 24 * 3_600_000);
  // The limits of the dashboard and of OAuth are consumed without a key, and that of a grant by a grant.
  const withoutKey = [
    ...["sign_in_codes", "sign_in_codes_elsewhere", "sign_in_codes_network"],
    ...["sign_in_attempts", "sign_in_attempts_elsewhere", "passkey_challenges", "invitations"],
    ...["oauth_registrations", "oauth_requests", "oauth_consents", "grant_operations"],
  ];
  const names = Object.keys(POLICIES).filter((name) => !withoutKey.includes(name));
  const used = new Set<string>();
  for (const reject of ["revoked", "lapsed"]) {
    const tenant = await createTestTenant();
    const requests = [...(await buildRequests(tenant)).map(([, request]) => request), ...BILLED];
    const peek = async () => {
      const states = await Promise.all(
        (names as PolicyName[]).map((name) => peekRateLimits(redis, [name], getScopeId(tenant), new Date())),
      );
      return states.map(({ RateLimit }) => RateLimit?.replace(/;t=\d+/, ""));
    };
    const before = await peek();
    await (reject === "revoked"
      ? queryRows(
          sql`update api_keys set revoked_at = now() where public_id = ${tenant.token.split(".")[0]} returning id`,
        )
      : queryRows(
          sql`update subscriptions set status = 'canceled'
            where workspace_id = ${tenant.workspaceId} or owner_id = ${tenant.ownerId} returning id`,
        ));
    for (const request of requests) {
      const response = await send(tenant, request);
      expect([request.path, response.status]).toEqual([request.path, reject === "revoked" ? 401 : 402]);
      for (const [, name = ""] of (response.headers.get("ratelimit-policy") ?? "").matchAll(/"(\w+)"/g)) used.add(name);
    }
    expect(await peek()).toEqual(before);
  }
  expect([...used].toSorted()).toEqual(names.toSorted());
});

test("402 and 401 ask Redis nothing from the second request of a rejected key on", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const env = { UPSTASH_REDIS_REST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const tenant = await createTestTenant();
  const search = (more?: object) => tenant.api.call("GET", "/viral-library?limit=5", { ...more });
  expect((await search()).status).toBe(200);
  await queryRows(
    sql`update subscriptions set status = 'canceled'
      where workspace_id = ${tenant.workspaceId} or owner_id = ${tenant.ownerId} returning id`,
  );
  expect((await search()).status).toBe(402);
  expect((await search({ env })).status).toBe(402);
  await queryRows(
    sql`update api_keys set revoked_at = now() where public_id = ${tenant.token.split(".")[0]} returning id`,
  );
  expect((await search({ env })).status).toBe(401);
  expect(asked).toBe(0);
  server.close();
});

test("401 and 429 fetch no outside URL", async () => {
  const origin = await startImageHost();
  let fetched = 0;
  const url = origin.at("/a.png", (request, response) => {
    fetched += 1;
    serveBytes(Buffer.from("a"), "image/png")(request, response);
  });
  const create = ({ api }: Tenant) =>
    api.call("POST", "/posts", {
      body: { caption: "a", accounts: [{ id: newId() }], media: { type: "slideshow", urls: [url] } },
      env: { ALLOWED_PRIVATE_HOSTS: origin.host },
    });
  const tenant = await createTestTenant();
  expect((await create(tenant)).status).toBe(400);
  expect(fetched).toBe(1);
  await exhaust(tenant, "outside_urls");
  expect((await create(tenant)).status).toBe(429);
  await queryRows(
    sql`update api_keys set revoked_at = now() where public_id = ${tenant.token.split(".")[0]} returning id`,
  );
  expect((await create(tenant)).status).toBe(401);
  expect(fetched).toBe(1);
  await origin.close();
});
