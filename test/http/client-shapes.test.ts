// What clients of other APIs of this kind already send, sentence by sentence; pages by cursor are in cursors.test.ts.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createFolder, insertFiles, insertSlideshows } from "../folders/factories.ts";
import {
  buildSlide,
  createMarker,
  createPack,
  createSlideshow,
  generateSlideshow,
  getTexts,
  readModelRequests,
} from "../slideshows/factories.ts";
import { createTestAccount, createTestTenant, type Tenant, type TestResponse } from "../support/harness.ts";
import { buildTemplateConfig } from "../templates/factories.ts";

const PACK = ["https://example.com/pack-0.png", "https://example.com/pack-1.png"];
const CUSTOM = { image_url: "https://example.com/custom.png", image_id: "photo-7", image_name: "Lamp.png" };

const getErrors = ({ status, body }: TestResponse) => [status, body.error_code, body.issues?.fieldErrors];

describe("slide_config of POST /slideshows/generate", () => {
  const generate = ({ api }: Tenant, slide_config: object, more: object = {}) =>
    api.post("/slideshows/generate", { skip_ai: true, slide_config, ...more });
  const rejected = (message: RegExp) => [422, "invalid_payload", { slide_config: [expect.stringMatching(message)] }];

  test("total_slides is 1 to 10", async () => {
    const tenant = await createTestTenant();
    expect((await generate(tenant, { total_slides: 7 })).body.data.slide_count).toBe(7);
    for (const total_slides of [0, 11, 1.5]) {
      expect(getErrors(await generate(tenant, { total_slides }))).toEqual(rejected(/^total_slides: /));
    }
  });

  test("slide_types has exactly total_slides entries, each image_pack or custom_image", async () => {
    const tenant = await createTestTenant();
    const pack_id = await createPack(tenant, PACK, false);
    for (const slide_types of [["image_pack"], ["image_pack", "image_pack", "image_pack"]]) {
      const answer = await generate(tenant, { total_slides: 2, slide_types }, { pack_id });
      expect(getErrors(answer)).toEqual(rejected(/^slide_types: Must have 2 entries/));
    }
    const answer = await generate(tenant, { total_slides: 1, slide_types: ["video"] }, { pack_id });
    expect(getErrors(answer)).toEqual(rejected(/^slide_types\.0: /));
  });

  test("custom_images has the image of each custom_image slide", async () => {
    const tenant = await createTestTenant();
    const pack_id = await createPack(tenant, PACK, false);
    const config = { total_slides: 2, slide_types: ["image_pack", "custom_image"] };
    const made = await generate(tenant, { ...config, custom_images: { "1": CUSTOM } }, { pack_id });
    expect([made.status, made.body.data.slides[1].image_url]).toEqual([201, CUSTOM.image_url]);
    expect(PACK).toContain(made.body.data.slides[0].image_url);
    expect(getErrors(await generate(tenant, config, { pack_id }))).toEqual(rejected(/^custom_images\.1: Required/));
    const extra = await generate(tenant, { ...config, custom_images: { "0": CUSTOM, "1": CUSTOM } }, { pack_id });
    expect(getErrors(extra)).toEqual(rejected(/^custom_images\.0: Only a custom_image slide/));
  });

  test("slide_texts and slide_text_elements are the texts of slides by index", async () => {
    const tenant = await createTestTenant();
    const placed = [{ content: "Placed", x: 20, y: 80, id: "mine", font_size: 64, width: 50 }];
    const long = "A long text of the owner. ".repeat(19).trim();
    const { status, body } = await generate(tenant, {
      total_slides: 4,
      slide_texts: { "0": "Short", "1": long },
      slide_text_elements: { "2": placed },
    });
    expect(status).toBe(201);
    expect(getTexts(body.data)).toEqual([["Short"], [long], ["Placed"], [""]]);
    expect(body.data.slides[2].text_elements).toEqual(placed);
  });

  test("pinned_images and pack_assignments are the backgrounds of slides by index; a custom slide has neither", async () => {
    const tenant = await createTestTenant();
    const [pack_id, own] = [
      await createPack(tenant, PACK, false),
      await createPack(tenant, ["https://own.example/a.png"], false),
    ];
    const pinned = "https://example.com/pinned.png";
    const config = { total_slides: 3, pinned_images: { "0": pinned }, pack_assignments: { "1": own } };
    const { data } = (await generate(tenant, config, { pack_id })).body;
    expect(data.slides.map((slide: { image_url: string }) => slide.image_url)).toEqual([
      pinned,
      "https://own.example/a.png",
      expect.stringContaining("pack-"),
    ]);
    expect(data.settings.pack_assignments).toEqual({ "1": own });
    const types = { slide_types: ["image_pack", "custom_image", "image_pack"], custom_images: { "1": CUSTOM } };
    const answer = await generate(tenant, { ...config, ...types }, { pack_id });
    expect(getErrors(answer)).toEqual(rejected(/^pack_assignments\.1: Only an image_pack slide/));
  });

  test("keys are indices from 0 and in range", async () => {
    const tenant = await createTestTenant();
    for (const index of ["2", "-1", "01", "x"]) {
      const answer = await generate(tenant, { total_slides: 2, slide_texts: { [index]: "Text" } });
      expect(getErrors(answer)).toEqual(rejected(/^slide_texts/));
    }
  });

  test("an image_pack slide needs pack_id or a pack of its own", async () => {
    const tenant = await createTestTenant();
    const pack = await createPack(tenant, PACK, false);
    const config = { total_slides: 2, slide_types: ["image_pack", "image_pack"], pack_assignments: { "0": pack } };
    expect(getErrors(await generate(tenant, config))).toEqual(rejected(/^slide_types\.1: Needs pack_id/));
    expect((await generate(tenant, config, { pack_id: pack })).status).toBe(201);
  });

  test("without skip_ai the given texts stand and the model writes the others", async () => {
    const tenant = await createTestTenant();
    const word = createMarker();
    const slide_config = { total_slides: 3, slide_texts: { "1": "Mine stays" } };
    const made = await generateSlideshow(tenant, { prompt: `Tea ${word}`, slide_config });
    const [first, second, third] = getTexts(made);
    expect(second).toEqual(["Mine stays"]);
    for (const written of [first, third]) expect(written?.join("").trim()).not.toBe("");
    const [call, ...others] = await readModelRequests(word);
    expect(others).toEqual([]);
    expect(JSON.parse(call?.asked.messages[1]?.content ?? "").given).toEqual({ "1": "Mine stays" });
  });

  test("the model is not called when every slide has a text", async () => {
    const tenant = await createTestTenant();
    const word = createMarker();
    const slide_config = { total_slides: 2, slide_texts: { "0": "One", "1": "Two" } };
    const made = await generateSlideshow(tenant, { prompt: `Tea ${word}`, slide_config });
    expect([getTexts(made), made.title]).toEqual([[["One"], ["Two"]], `Tea ${word}`]);
    expect(await readModelRequests(word)).toEqual([]);
  });

  test("422 when slide_count and total_slides disagree", async () => {
    const tenant = await createTestTenant();
    const answer = await generate(tenant, { total_slides: 3 }, { slide_count: 4 });
    expect(getErrors(answer)).toEqual(rejected(/^total_slides: Must equal slide_count, which is 4/));
    expect((await generate(tenant, { total_slides: 3 }, { slide_count: 3 })).body.data.slide_count).toBe(3);
  });
});

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
    const answer = await retry(resend);
    expect(getErrors(answer)).toEqual([422, "invalid_payload", { resend: [expect.any(String)] }]);
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
    const answer = await api.post("/templates", { name: newId(), config: { ...config, ...part } });
    expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_template_config"]);
    expect(answer.body.message).toContain(field);
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

  test("402 without a plan, 403 for the Scheduler tier", async () => {
    const { api: unpaid } = await createTestTenant({ plan: null });
    const plan = { tier: "scheduler", status: "active", paidUntil: null } as const;
    const { api: scheduler } = await createTestTenant({ plan });
    const codes = [await unpaid.get("/subscription"), await scheduler.get("/subscription")];
    expect(codes.map(({ status, body }) => [status, body.error_code])).toEqual([
      [402, "subscription_required"],
      [403, "tier_not_allowed"],
    ]);
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
