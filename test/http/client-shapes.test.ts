// Clients of other APIs of this kind already send these requests, sentence by sentence; pages by cursor are in cursors.test.ts.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createFolder, insertFiles, insertSlideshows } from "../folders/factories.ts";
import { buildSlide, createSlideshow } from "../slideshows/factories.ts";
import { createTestAccount, createTestTenant, type Tenant, type TestResponse } from "../support/harness.ts";
import { buildTemplateConfig } from "../templates/factories.ts";

const getErrors = ({ status, body }: TestResponse) => [status, body.error_code, body.issues?.fieldErrors];

test("rendered_image_url ends in the two digits of the slide and a hash, and equal slides have two URLs", async () => {
  const { api } = await createTestTenant();
  const { id } = await createSlideshow(api, { slides: [buildSlide("Same"), buildSlide("Same"), buildSlide("Other")] });
  const { data } = (await api.post(`/slideshows/${id}/render`)).body;
  const urls: string[] = data.slides.map((slide: { rendered_image_url: string }) => slide.rendered_image_url);
  expect(urls.map((url) => /\/(\d\d)-[0-9a-f]{64}\.jpg$/.exec(url)?.[1])).toEqual(["01", "02", "03"]);
  expect(urls.toSorted()).toEqual(urls);
  const [one, two] = await Promise.all(urls.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())));
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
});

test("POST /posts/retry takes resend, true or false", async () => {
  const { api } = await createTestTenant();
  const retry = (resend: unknown) => api.post("/posts/retry", { post_ids: [newId()], resend });
  for (const resend of [true, false]) expect((await retry(resend)).body.data).toMatchObject({ retried: 0 });
  for (const resend of ["yes", 1, null]) {
    const response = await retry(resend);
    expect(getErrors(response)).toEqual([422, "invalid_payload", { resend: [expect.any(String)] }]);
  }
});

test("422 invalid_template_config for a config without pinnedImageUrl, productId or packId; null is allowed", async () => {
  const { api } = await createTestTenant();
  const config = buildTemplateConfig();
  const [pack, ...slides] = config.structure.slides;
  const slide = { type: "pack", id: pack?.id, textElements: [] };
  const { productId: __, ...content } = config.content;
  const { packId: ___, ...visuals } = config.visuals;
  for (const [part, field] of [
    [{ structure: { ...config.structure, slides: [slide, ...slides] } }, "pinnedImageUrl"],
    [{ content }, "productId"],
    [{ visuals }, "packId"],
  ] as const) {
    const response = await api.post("/templates", { name: newId(), config: { ...config, ...part } });
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_template_config"]);
    expect(response.body.message).toContain(field);
  }
  const none = { content: { ...content, productId: null }, visuals: { ...visuals, packId: null } };
  const { structure } = config;
  const unassigned = { structure: { slides: structure.slides }, ...none };
  expect((await api.post("/templates", { name: newId(), config: { ...config, ...unassigned } })).status).toBe(201);
});

test("422 for a style_preset outside the five; filters are any finite numbers, clamped when drawn", async () => {
  const { api } = await createTestTenant();
  const text = { content: "a", x: 50, y: 50 };
  const bad = await api.post("/slideshows", {
    slides: [buildSlide("a", { text_elements: [{ ...text, style_preset: "neon" }] })],
  });
  expect([bad.status, bad.body.issues.fieldErrors.slides[0]]).toEqual([422, expect.stringContaining("style_preset")]);
  const render = async (background_filters: object) => {
    const made = await createSlideshow(api, { slides: [buildSlide("a", { background_filters })] });
    const { body } = await api.post(`/slideshows/${made.id}/render`);
    return [made.slides[0]?.background_filters, body.data.slides[0].rendered_image_url];
  };
  const beyond = { brightness: 1e300, blur: -5, grayscale: 7, hue: 9_999, opacity: -1 };
  const [stored, drawn] = await render(beyond);
  const [, nearest] = await render({ brightness: 10, blur: 0, grayscale: 1, hue: 360, opacity: 0 });
  expect([stored, drawn]).toEqual([beyond, nearest]);
});

test("GET /files takes context: uploads, generated files or all", async () => {
  const tenant = await createTestTenant();
  const [upload = ""] = await insertFiles(tenant, 1, "upload");
  const [image = ""] = await insertFiles(tenant, 1, "ai_image");
  const [video = ""] = await insertFiles(tenant, 1, "ai_video");
  await insertFiles(tenant, 1, "render");
  const list = async (query: string) => {
    const { data } = (await tenant.api.get(`/files?${query}`)).body;
    return [data.total, data.files.map(({ id }: { id: string }) => id)];
  };
  for (const query of ["", "context=all", "context=media-upload,ai-studio"]) {
    expect(await list(query)).toEqual([3, [video, image, upload]]);
  }
  expect(await list("context=media-upload")).toEqual([1, [upload]]);
  expect(await list("context=ai-studio")).toEqual([2, [video, image]]);
  expect((await tenant.api.delete(`/files/${image}`)).status).toBe(200);
  const bad = await tenant.api.get("/files?context=media-upload,nowhere");
  expect([bad.status, bad.body.error_code]).toEqual([400, "invalid_query_parameter"]);
});

test("null clears displayName and refreshPolicy of an analytics target", async () => {
  const { api } = await createTestTenant();
  const { target } = (
    await api.post("/analytics/targets", { platform: "tiktok", identifier: "@Tea.Maker", alias: "Tea" })
  ).body.data;
  const path = `/analytics/targets/${target.id}`;
  const policy = { freeDailyRefresh: false, maxPosts: 7 };
  expect((await api.patch(path, { refreshPolicy: policy })).body.data.metadata.refreshPolicy).toEqual(policy);
  const { data } = (await api.patch(path, { displayName: null, refreshPolicy: null })).body;
  expect([data.display_name, data.metadata]).toEqual(["tea.maker", target.metadata]);
});

test("items of folders carry created_at and added_at", async () => {
  const tenant = await createTestTenant();
  for (const mediaType of ["upload", "slideshow"] as const) {
    const [id] =
      mediaType === "upload" ? await insertFiles(tenant, 1, "upload") : await insertSlideshows(tenant, [null]);
    const folder = await createFolder(tenant, { mediaType });
    await tenant.api.post(`/folders/${folder.id}/items`, { item_ids: [id] });
    const [item] = (await tenant.api.get(`/folders/${folder.id}/items`)).body.data.items;
    const instant = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(item).toMatchObject({ id, created_at: instant, added_at: instant });
  }
});

describe("GET /subscription", () => {
  const credits = { limit: null, used_this_period: null, remaining: null, reset_at: null };

  test("200 for a workspace and for an owner; what is not billed is null", async () => {
    const paidUntil = new Date("2036-01-01T00:00:00.000Z");
    const plan = { tier: "business", status: "active", paidUntil } as const;
    const workspace = await createTestTenant({ plan });
    const { status, body } = await workspace.api.get("/subscription");
    expect([status, body.data]).toEqual([
      200,
      {
        scope: "workspace",
        workspace_id: workspace.workspaceId,
        subscription: {
          ...{ status: "active", tier: "business", billing_interval: null },
          ...{ renews_at: paidUntil.toISOString(), credits },
        },
      },
    ]);
    const personal = await createTestTenant({ personal: true });
    expect((await personal.api.get("/subscription")).body.data).toMatchObject({
      scope: "personal",
      workspace_id: null,
      subscription: { tier: "professional", renews_at: null },
    });
  });
});

describe("GET /accounts", () => {
  const listAccounts = async ({ api }: Tenant, query = "") => (await api.get(`/accounts${query}`)).body.data.accounts;

  test("media_limits has min_video_seconds, so that the 15 s of hosted accounts are known", async () => {
    const tenant = await createTestTenant();
    await createTestAccount(tenant, "tiktok", { type: "hosted" });
    const [account] = await listAccounts(tenant);
    expect(account.capabilities.media_limits).toMatchObject({ min_video_seconds: 15, max_video_seconds: 60 });
  });

  test("reconnect_by is null, or the instant after which the connection ends", async () => {
    const tenant = await createTestTenant();
    await createTestAccount(tenant, "tiktok");
    const [account] = await listAccounts(tenant);
    expect(account).toHaveProperty("reconnect_by", null);
  });

  test("status is all, active, paused or disconnected; active by default", async () => {
    const tenant = await createTestTenant();
    const active = await createTestAccount(tenant, "tiktok");
    const paused = await createTestAccount(tenant, "instagram", { status: "paused" });
    const gone = await createTestAccount(tenant, "twitter");
    expect((await tenant.api.delete(`/accounts/${gone.id}`)).status).toBe(200);
    const list = async (query: string) => (await listAccounts(tenant, query)).map(({ id }: { id: string }) => id);
    expect(await list("")).toEqual([active.id]);
    expect(await list("?status=active")).toEqual([active.id]);
    expect(await list("?status=paused")).toEqual([paused.id]);
    expect(await list("?status=disconnected")).toEqual([gone.id]);
    expect((await list("?status=all")).toSorted()).toEqual([active.id, paused.id, gone.id].toSorted());
    const bad = await tenant.api.get("/accounts?status=sleeping");
    expect([bad.status, bad.body.error_code]).toEqual([400, "invalid_status"]);
  });
});
