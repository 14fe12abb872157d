// Creating slideshows from slides and from templates.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { buildSlide, createPack, createProduct, createSlideshow } from "./factories.ts";

test("201 returns the whole slideshow with all defaults", async () => {
  const { api } = await createTestTenant();
  const response = await api.post("/slideshows", { slides: [buildSlide("One"), buildSlide("Two")] });
  expect(response.status).toBe(201);
  const { data } = response.body;
  expect(data).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    title: "Untitled slideshow",
    status: "draft",
    slideshow_type: "educational",
    product_id: null,
    slide_count: 2,
    settings: { aspect_ratio: "4:5", slideshow_type: "educational", advanced_settings: {}, pack_assignments: null },
    preview_image_url: null,
    last_rendered_at: null,
    created_at: expect.stringMatching(/\.\d{3}Z$/),
    updated_at: data.created_at,
    slides: [
      { ...buildSlide("One"), index: 0, rendered_image_url: null },
      { ...buildSlide("Two"), index: 1, rendered_image_url: null },
    ],
    original_prompt: null,
  });
  expect((await api.get(`/slideshows/${data.id}`)).body.data).toEqual(data);
});

test("201 keeps all fields of a slide and ignores read-only fields", async () => {
  const { api } = await createTestTenant();
  const full = {
    text_elements: [
      {
        id: "a",
        content: "Zwölf Boxkämpfer 🥊",
        x: -10.5,
        y: 120,
        width: 80,
        height: 10,
        font_size: 64.5,
        editable: false,
        style_preset: "shadow",
        font_family: "Inter",
        background_color: "#ff0000",
        text_color: "rgb(255 0 0)",
        border_radius: 12,
      },
      { content: "", x: 0, y: 0 },
    ],
    image_url: "https://example.com/a.jpg",
    grid_images: ["https://example.com/b.jpg", "https://example.com/c.jpg"],
    grid_type: "1+2",
    background_filters: { brightness: 1.2, contrast: 1, blur: 3, hue: -30, drop_shadow: 4, opacity: 0.5 },
    image_overlays: [
      { id: "o", image_url: "https://example.com/d.png", x: 1, y: 2, width: 3, height: 4, rotation: -45, opacity: 0.3 },
    ],
  };
  const settings = {
    image_pack_id: newId(),
    aspect_ratio: "9:16",
    advanced_settings: { font_size: "small", text_preset: "shadow", text_width: "wide" },
    pack_assignments: { "0": newId() },
  };
  const body = { title: "  Mine ", slideshow_type: "personal", settings };
  const sent = { ...full, index: 7, rendered_image_url: "https://example.com/mine.png" };
  const made = await createSlideshow(api, { ...body, slides: [sent] });
  expect(made).toMatchObject({ title: "Mine", slideshow_type: "personal", preview_image_url: null });
  expect(made.settings).toEqual({ ...settings, slideshow_type: "personal" });
  expect(made.slides).toEqual([{ ...full, index: 0, rendered_image_url: null }]);
});

test("201 slideshow_type takes precedence over the type in settings", async () => {
  const { api } = await createTestTenant();
  const inside = await createSlideshow(api, { slides: [buildSlide("a")], settings: { slideshow_type: "personal" } });
  expect([inside.slideshow_type, inside.settings.slideshow_type]).toEqual(["personal", "personal"]);
  const both = { slideshow_type: "educational", settings: { slideshow_type: "personal" } };
  const made = await createSlideshow(api, { slides: [buildSlide("a")], ...both });
  expect([made.slideshow_type, made.settings.slideshow_type]).toEqual(["educational", "educational"]);
});

const OVERLAY = { id: "o", image_url: "https://e.com/a.png", x: 1, y: 1, width: 1, height: 1, rotation: 0, opacity: 1 };

test.each([
  [{}, ["slides"]],
  [{ slides: [] }, ["slides"]],
  [{ slides: Array.from({ length: 36 }, () => buildSlide("a")) }, ["slides"]],
  [{ slides: [buildSlide("a")], template_id: newId() }, ["slides"]],
  [{ slides: [{ ...buildSlide("a"), text_elements: [] }] }, ["slides"]],
  [{ slides: [{ text_elements: buildSlide("a").text_elements }] }, ["slides"]],
  [{ slides: [buildSlide("a", { image_url: "ftp://example.com/a.png" })] }, ["slides"]],
  [{ slides: [buildSlide("a", { grid_type: "3x3" })] }, ["slides"]],
  [{ slides: [buildSlide("a", { background_filters: { glow: 1 } })] }, ["slides"]],
  [{ slides: [buildSlide("a", { image_overlays: [{ ...OVERLAY, rotation: undefined }] })] }, ["slides"]],
  [{ slides: [buildSlide("a", { text_elements: [{ content: "a", x: 1, y: 1, font_size: 7 }] })] }, ["slides"]],
  [{ slides: [buildSlide("a", { unknown: 1 })] }, ["slides"]],
  [{ slides: [buildSlide("a")], title: " " }, ["title"]],
  [{ slides: [buildSlide("a")], slideshow_type: "funny", product_id: "x" }, ["slideshow_type", "product_id"]],
  [{ slides: [buildSlide("a")], settings: { aspect_ratio: "1:5" } }, ["settings"]],
  [{ slides: [buildSlide("a")], settings: { aspect_ratio: "16x9" } }, ["settings"]],
  [{ slides: [buildSlide("a")], settings: { advanced_settings: { font_size: "huge" } } }, ["settings"]],
  [{ slides: [buildSlide("a")], settings: { pack_assignments: { first: newId() } } }, ["settings"]],
  [{ slides: [buildSlide("a")], settings: { pack_assignments: { "0": "x" } } }, ["settings"]],
  [{ slides: [buildSlide("a")], settings: { unknown: 1 } }, ["settings"]],
])("422 invalid_payload for %j", async (body, fields) => {
  const { api } = await createTestTenant();
  const response = await api.post("/slideshows", body);
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(Object.keys(response.body.issues.fieldErrors)).toEqual(fields);
});

test.each([
  [
    "a font_size that is neither a number nor a name",
    { advanced_settings: { font_size: "large" } },
    /default or small/,
  ],
  ["a pack for no slide", { pack_assignments: { "35": newId() } }, /index of a slide, 0 to 34/],
])("422 reports the allowed values for %s", async (_, settings, wanted) => {
  const { api } = await createTestTenant();
  const response = await api.post("/slideshows", { slides: [buildSlide("a")], settings });
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(response.body.issues.fieldErrors.settings).toEqual([expect.stringMatching(wanted)]);
});

test("422 for numbers out of the renderable range", async () => {
  const { api } = await createTestTenant();
  const raw = '{"slides":[{"text_elements":[{"content":"a","x":1e999,"y":0}],"image_url":null}]}';
  const response = await api.call("POST", "/slideshows", { raw });
  expect([response.status, Object.keys(response.body.issues.fieldErrors)]).toEqual([422, ["slides"]]);
});

test("404 product_not_found, 403 forbidden_product_access, 201 for a product of the scope", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const post = (product_id: string) => mine.api.post("/slideshows", { slides: [buildSlide("a")], product_id });
  const unknown = await post(newId());
  expect([unknown.status, unknown.body.error_code]).toEqual([404, "product_not_found"]);
  const others = await post(await createProduct(theirs, "Theirs"));
  expect([others.status, others.body.error_code]).toEqual([403, "forbidden_product_access"]);
  expect(JSON.stringify(others.body)).not.toContain("Theirs");
  const own = await createProduct(mine, "Mine");
  expect((await post(own)).body.data.product_id).toBe(own);
});

test("201 returns the same slideshow for the same Idempotency-Key", async () => {
  const { api } = await createTestTenant();
  const body = { slides: [buildSlide("Once")] };
  const key = { "Idempotency-Key": newId() };
  const [first, second] = [await api.post("/slideshows", body, key), await api.post("/slideshows", body, key)];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect((await api.get("/slideshows")).body.data.total).toBe(1);
  const other = await api.post("/slideshows", { slides: [buildSlide("Twice")] }, key);
  expect([other.status, other.body.error_code]).toEqual([409, "idempotency_key_reused"]);
});

describe("from a template", () => {
  const text = { id: newId(), content: "Hello", x: 50, y: 30, fontSize: 44, width: 70 };

  function config(slides: object[], more: { structure?: object; content?: object; visuals?: object }) {
    return {
      version: 1,
      structure: { slides, ...more.structure },
      content: { mode: "ai", productId: null, language: "de", slideshowType: "personal", ...more.content },
      visuals: {
        packId: null,
        aspectRatio: "9:16",
        textSettings: { fontSize: "small", preset: "shadow", width: "default" },
        ...more.visuals,
      },
    };
  }

  async function template(tenant: Tenant, body: object): Promise<string> {
    const response = await tenant.api.post("/templates", { name: "From afar", config: body });
    if (response.status !== 201) throw new Error(JSON.stringify(response.body));
    return response.body.data.id;
  }

  test("201 copies slides and settings, picks images of packs, and counts one use", async () => {
    const tenant = await createTestTenant();
    const usual = await createPack(tenant, ["https://example.com/1.png", "https://example.com/2.png"], false);
    const own = await createPack(tenant, ["https://example.com/own.png"], false);
    const slides = [
      { id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text] },
      { id: newId(), type: "pack", pinnedImageUrl: "https://example.com/pinned.png", textElements: [] },
      { id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text, text] },
      { id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text] },
    ];
    const structure = { packAssignments: { "3": own } };
    const content = { prompt: "All about tea" };
    const id = await template(tenant, config(slides, { structure, content, visuals: { packId: usual } }));
    const made = await createSlideshow(tenant.api, { template_id: id });
    expect(made).toMatchObject({
      title: "From afar",
      status: "draft",
      slideshow_type: "personal",
      slide_count: 4,
      original_prompt: "All about tea",
      settings: {
        image_pack_id: usual,
        aspect_ratio: "9:16",
        slideshow_type: "personal",
        advanced_settings: { font_size: "small", text_preset: "shadow", text_width: "default" },
        pack_assignments: { "3": own },
      },
    });
    expect(made.slides.map(({ image_url }) => image_url)).toEqual([
      "https://example.com/1.png",
      "https://example.com/pinned.png",
      "https://example.com/2.png",
      "https://example.com/own.png",
    ]);
    expect(made.slides[0]?.text_elements).toMatchObject([{ content: "Hello", x: 50, y: 30, font_size: 44, width: 70 }]);
    expect(made.slides[1]?.text_elements).toMatchObject([{ content: "" }]);
    const used = (await tenant.api.get(`/templates/${id}`)).body.data;
    expect([used.use_count, used.last_used_at]).toEqual([1, made.created_at]);
  });

  test("201 fields of the request take precedence; a product of another scope is omitted", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const slides = [{ id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text] }];
    const productId = await createProduct(theirs, "Theirs");
    const id = await template(mine, config(slides, { content: { productId } }));
    const settings = { aspect_ratio: "1:1", advanced_settings: { text_preset: "white" } };
    const made = await createSlideshow(mine.api, {
      template_id: id,
      title: "Own",
      slideshow_type: "educational",
      settings,
    });
    expect(made).toMatchObject({ title: "Own", slideshow_type: "educational", product_id: null });
    expect(made.settings).toMatchObject({
      aspect_ratio: "1:1",
      advanced_settings: { font_size: "small", text_preset: "white", text_width: "default" },
    });
  });

  test("201 with pack ids that are UUIDs of no version, and the list shows it", async () => {
    const tenant = await createTestTenant();
    const unversioned = "11111111-1111-1111-1111-111111111111";
    const slides = [{ id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text] }];
    const structure = { packAssignments: { "0": unversioned } };
    const id = await template(tenant, config(slides, { structure, visuals: { packId: unversioned } }));
    const { settings } = await createSlideshow(tenant.api, { template_id: id });
    expect(settings).toMatchObject({ image_pack_id: unversioned, pack_assignments: { "0": unversioned } });
    const listed = await tenant.api.get("/slideshows");
    expect([listed.status, listed.body.data?.slideshows[0].settings]).toEqual([200, settings]);
  });

  test("404 template_not_found for another workspace's template, without counting a use", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const slides = [{ id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text] }];
    const id = await template(theirs, config(slides, {}));
    const response = await mine.api.post("/slideshows", { template_id: id });
    expect([response.status, response.body.error_code]).toEqual([404, "template_not_found"]);
    expect((await theirs.api.get(`/templates/${id}`)).body.data.use_count).toBe(0);
  });

  test("201 omits images of packs that the key cannot read", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const slides = [{ id: newId(), type: "pack", pinnedImageUrl: null, textElements: [text] }];
    const hidden = await createPack(theirs, ["https://example.com/secret.png"], false);
    const open = await createPack(theirs, ["https://example.com/open.png"], true);
    const [first, second] = [
      await template(mine, config(slides, { visuals: { packId: hidden } })),
      (await mine.api.post("/templates", { name: "Other", config: config(slides, { visuals: { packId: open } }) })).body
        .data.id,
    ];
    expect((await createSlideshow(mine.api, { template_id: first })).slides[0]?.image_url).toBeNull();
    expect((await createSlideshow(mine.api, { template_id: second })).slides[0]?.image_url).toBe(
      "https://example.com/open.png",
    );
  });
});
