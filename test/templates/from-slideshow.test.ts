// Creating templates from slideshows, and slides from configs.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { Slide } from "../../lib/schemas/slide.ts";
import { TemplateConfig } from "../../lib/schemas/template.ts";
import { createIdGenerator } from "../../lib/shared/ids.ts";
import {
  buildConfig,
  buildDraftSettings,
  buildSlides,
  type TemplateSource,
} from "../../lib/templates/convert-config.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { buildTemplateConfig, createTemplate, insertSlideshow, PICTURE } from "./factories.ts";

const createFromSlideshow = (tenant: Tenant, id: string, body: unknown = {}) =>
  tenant.api.post(`/templates/from-slideshow/${id}`, body);

test("201 copies slides, settings, texts and prompt", async () => {
  const tenant = await createTestTenant();
  const [pack, other] = [newId(), newId()];
  const element = { content: "Hello", x: 40, y: -5, width: 130, font_size: 60, text_color: "#fff" };
  const id = await insertSlideshow(tenant, {
    title: "  Ten lamps ",
    settings: {
      image_pack_id: pack,
      aspect_ratio: "9:16",
      advanced_settings: { font_size: 52, text_preset: "shadow", text_width: "narrow" },
      pack_assignments: { "1": other, "7": other },
    },
    slides: [
      { text_elements: [element], image_url: PICTURE, background_filters: { blur: 2 } },
      { text_elements: [{ content: "Plain", x: 50, y: 50 }], image_url: null },
    ],
    originalPrompt: "Ten lamps for the desk",
    generation: { language: "de" },
    previewImageUrl: `${PICTURE}?rendered`,
  });
  const made = await createFromSlideshow(tenant, id, { description: "From ours", visibility: "workspace" });
  expect([made.status, made.body.message]).toEqual([201, "Template created."]);
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(made.body.data).toMatchObject({
    name: "Ten lamps",
    description: "From ours",
    visibility: "workspace",
    preview_url: `${PICTURE}?rendered`,
    use_count: 0,
    last_used_at: null,
    is_owner: true,
  });
  expect(made.body.data.config).toEqual({
    version: 1,
    structure: {
      slides: [
        {
          type: "pack",
          id: uuid,
          pinnedImageUrl: PICTURE,
          textElements: [{ id: uuid, content: "Hello", x: 40, y: 0, width: 100, fontSize: 60 }],
        },
        {
          type: "pack",
          id: uuid,
          pinnedImageUrl: null,
          textElements: [{ id: uuid, content: "Plain", x: 50, y: 50, width: 60, fontSize: 52 }],
        },
      ],
      packAssignments: { "1": other },
    },
    content: {
      mode: "manual",
      prompt: "Ten lamps for the desk",
      productId: null,
      language: "de",
      slideshowType: "personal",
    },
    visuals: {
      packId: pack,
      aspectRatio: "9:16",
      textSettings: { fontSize: "52", preset: "shadow", width: "narrow" },
    },
  });
  expect((await tenant.api.get(`/templates/${made.body.data.id}`)).body.data).toEqual(made.body.data);
});

test("201 without preserve_text keeps positions and sizes of texts, not their content", async () => {
  const tenant = await createTestTenant();
  const id = await insertSlideshow(tenant);
  const { config } = (await createFromSlideshow(tenant, id, { preserve_text: false })).body.data;
  expect(config.content.mode).toBe("ai");
  expect(config.structure.slides[0].textElements).toEqual([
    { id: expect.any(String), content: "", x: 50, y: 50, width: 80, fontSize: 48 },
  ]);
});

test("201 a default name gets the next free number, also at the maximum length", async () => {
  const tenant = await createTestTenant();
  const names = async (title: string) => {
    const id = await insertSlideshow(tenant, { title });
    const made = [];
    for (let at = 0; at < 3; at++) made.push((await createFromSlideshow(tenant, id)).body.data.name);
    return made;
  };
  await createTemplate(tenant.api, { name: "Lamps (2)" });
  expect(await names("Lamps")).toEqual(["Lamps", "Lamps (3)", "Lamps (4)"]);
  const long = "\u{1f525}".repeat(255);
  const repeatEmoji = (length: number) => "\u{1f525}".repeat(length);
  expect(await names(long)).toEqual([repeatEmoji(100), `${repeatEmoji(96)} (2)`, `${repeatEmoji(96)} (3)`]);
  expect(await names("  ")).toEqual(["Untitled", "Untitled (2)", "Untitled (3)"]);
});

test("201 for 10 concurrent requests with different names", async () => {
  const tenant = await createTestTenant();
  const id = await insertSlideshow(tenant, { title: "Race" });
  const responses = await Promise.all(Array.from({ length: 10 }, () => createFromSlideshow(tenant, id)));
  const names = responses.map(({ body }) => body.data?.name).toSorted();
  const numbered = Array.from({ length: 9 }, (_, at) => `Race (${at + 2})`);
  expect(names).toEqual(["Race", ...numbered].toSorted());
});

test("409 template_name_conflict for an existing name in the request", async () => {
  const tenant = await createTestTenant();
  const id = await insertSlideshow(tenant);
  expect((await createFromSlideshow(tenant, id, { name: "Given" })).body.data.name).toBe("Given");
  const taken = await createFromSlideshow(tenant, id, { name: "Given" });
  expect([taken.status, taken.body.error_code]).toEqual([409, "template_name_conflict"]);
});

test("404 not_found for another workspace's slideshow and a malformed id", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  for (const id of [await insertSlideshow(theirs), newId(), "seven"]) {
    const response = await createFromSlideshow(mine, id);
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
    expect(response.body.message).toContain("slideshow");
  }
});

test("422 no_slides for a slideshow without slides", async () => {
  const tenant = await createTestTenant();
  const id = await insertSlideshow(tenant, { slides: [] });
  const response = await createFromSlideshow(tenant, id);
  expect([response.status, response.body.error_code]).toEqual([422, "no_slides"]);
});

test("403 forbidden_template for visibility workspace with a personal key, 422 for invalid fields", async () => {
  const tenant = await createTestTenant({ personal: true });
  const id = await insertSlideshow(tenant);
  const forbidden = await createFromSlideshow(tenant, id, { visibility: "workspace" });
  expect([forbidden.status, forbidden.body.error_code]).toEqual([403, "forbidden_template"]);
  for (const body of [
    { name: "" },
    { visibility: "public" },
    { preserve_text: "yes" },
    { config: buildTemplateConfig() },
  ]) {
    const response = await createFromSlideshow(tenant, id, body);
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  }
});

const ids = createIdGenerator("test", new Date("2026-01-01T00:00:00Z"));
const buildSource = (parts: Partial<TemplateSource>): TemplateSource => ({
  slideshowType: "educational",
  productId: null,
  settings: {},
  slides: [],
  originalPrompt: null,
  language: null,
  ...parts,
});

test("the config of any valid slideshow is valid, and so are its slides", () => {
  const long = `${"x".repeat(499)}\u{1f525}`;
  const texts = Array.from({ length: 20 }, (_, at) => ({ content: long, x: -50 + at * 20, y: 150, width: 0.1 }));
  const grid = ["https://media.example.com/one%20two.png", PICTURE];
  const slides = [
    { text_elements: texts, image_url: null, grid_images: grid, grid_type: "vertical" as const },
    { text_elements: texts.slice(0, 1), image_url: `https://media.example.com/${"a".repeat(1900)}` },
    { text_elements: texts.slice(0, 1), image_url: "https://media.example.com" },
  ];
  const made = buildConfig(buildSource({ slides, originalPrompt: "p".repeat(3000) }), ids, true);
  const config = TemplateConfig.parse(made);
  expect(config).toEqual(made);
  const [first, , bare] = config.structure.slides;
  expect(first).toMatchObject({ type: "custom", image: { url: grid[0], name: "one two.png" } });
  expect(bare).toMatchObject({ type: "custom", image: { name: "image" } });
  expect(first?.textElements).toHaveLength(10);
  expect(first?.textElements[0]).toMatchObject({ content: "x".repeat(499), x: 0, y: 100, fontSize: 48 });
  for (const slide of buildSlides(config, new Map())) expect(Slide.safeParse(slide).error).toBeUndefined();
});

test("slides, texts and settings survive the conversion to a config and back", () => {
  const pack = newId();
  const slides = [
    { text_elements: [{ id: newId(), content: "a", x: 10, y: 20, width: 30, font_size: 40 }], image_url: PICTURE },
    { text_elements: [{ id: newId(), content: "b", x: 1, y: 2, width: 3, font_size: 9 }], image_url: null },
  ];
  const settings = {
    image_pack_id: null,
    aspect_ratio: "1:1",
    advanced_settings: { font_size: 33, text_preset: "white", text_width: "wide" },
    pack_assignments: { "1": pack },
  };
  const config = buildConfig(buildSource({ slides, settings }), ids, true);
  const back = buildSlides(config, new Map());
  const bare = (all: Slide[]) =>
    all.map(({ text_elements, image_url }) => ({ texts: text_elements.map(({ id: _, ...text }) => text), image_url }));
  expect(bare(back)).toEqual(bare(slides));
  expect(buildDraftSettings(config)).toEqual({ ...settings, slideshow_type: "educational" });
});

test("slides of a pack use its images in order, pinned and custom images are kept, an unknown pack gives none", () => {
  const [usual, special, unknown] = [newId(), newId(), newId()];
  const base = buildTemplateConfig();
  const slide = (pinnedImageUrl: string | null) => ({
    type: "pack" as const,
    id: newId().toUpperCase(),
    pinnedImageUrl,
    textElements: [],
  });
  const slides = [
    slide(null),
    slide(null),
    slide(PICTURE),
    base.structure.slides[1],
    slide(null),
    slide(null),
    slide(null),
  ];
  const [assigned = "", nobodys = ""] = [slides[4]?.id, slides[6]?.id];
  const config = TemplateConfig.parse({
    ...base,
    structure: { slides, packAssignments: { [assigned]: special.toUpperCase(), [nobodys]: unknown } },
    visuals: { ...base.visuals, packId: usual.toUpperCase() },
  });
  const images = new Map([
    [usual, [{ url: "u1" }, { url: "u2" }]],
    [special, [{ url: "s1" }]],
  ]);
  const made = buildSlides(config, images);
  expect(made.map(({ image_url }) => image_url)).toEqual(["u1", "u2", PICTURE, PICTURE, "s1", "u1", null]);
  expect(buildSlides(config, images)).toEqual(made);
  expect(made[0]?.text_elements).toEqual([{ content: "", x: 50, y: 50 }]);
  expect(buildDraftSettings(config)).toMatchObject({
    image_pack_id: usual,
    pack_assignments: { "4": special, "6": unknown },
  });
});

test.each([
  ["default", "default"],
  ["small", "small"],
  ["64", 64],
  ["7", "default"],
  ["201", "default"],
  ["huge", "default"],
  [" ", "default"],
])("fontSize %j becomes %j in the draft's settings", (fontSize, wanted) => {
  const base = buildTemplateConfig();
  const config = { ...base, visuals: { ...base.visuals, textSettings: { ...base.visuals.textSettings, fontSize } } };
  expect(buildDraftSettings(config).advanced_settings.font_size).toBe(wanted);
});

test("201 for the longest language that a generated slideshow can have; 422 at the slideshow for a longer one", async () => {
  const tenant = await createTestTenant();
  const generate = (language: string) =>
    tenant.api.post("/slideshows/generate", { skip_ai: true, slide_count: 1, language });
  const longest = `en-${"x".repeat(8)}-${"y".repeat(8)}-${"z".repeat(8)}-${"q".repeat(5)}`;
  const { body } = await generate(longest);
  const made = await createFromSlideshow(tenant, body.data.id);
  expect([made.status, made.body.data?.config.content.language]).toEqual([201, longest]);
  const longer = await generate(`${longest}q`);
  expect([longer.status, Object.keys(longer.body.issues?.fieldErrors ?? {})]).toEqual([422, ["language"]]);
});
