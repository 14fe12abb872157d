// Creating templates: response, name conflicts and invalid configs.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { buildTemplateConfig, createTemplate, PICTURE } from "./factories.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("201 returns the whole template, equal to GET", async () => {
  const { api } = await createTestTenant();
  const config = buildTemplateConfig();
  const made = await api.post("/templates", {
    name: "  Lamps \u00e9  ",
    description: "On lamps",
    visibility: "workspace",
    config,
  });
  expect(made.status).toBe(201);
  expect(made.body.data).toEqual({
    id: expect.any(String),
    name: "Lamps \u00e9",
    description: "On lamps",
    visibility: "workspace",
    preview_url: null,
    use_count: 0,
    last_used_at: null,
    created_at: expect.stringMatching(INSTANT),
    updated_at: made.body.data.created_at,
    is_owner: true,
    config,
  });
  const read = await api.get(`/templates/${made.body.data.id}`);
  expect([read.status, read.body.data]).toEqual([200, made.body.data]);
});

test("201 with required fields only: private, and null for optional fields", async () => {
  const { api } = await createTestTenant({ personal: true });
  const { content, visuals, structure } = buildTemplateConfig();
  const [slide] = structure.slides;
  const made = await createTemplate(api, {
    name: "a",
    description: null,
    config: {
      version: 1,
      structure: { slides: [{ type: "pack", id: slide?.id, pinnedImageUrl: null, textElements: [] }] },
      content: { mode: "ai", productId: null, slideshowType: content.slideshowType },
      visuals: { packId: null, aspectRatio: visuals.aspectRatio, textSettings: visuals.textSettings },
    },
  });
  expect(made).toMatchObject({ name: "a", description: null, visibility: "private" });
  expect(made.config).toEqual({
    version: 1,
    structure: { slides: [{ type: "pack", id: slide?.id, pinnedImageUrl: null, textElements: [] }] },
    content: { mode: "ai", productId: null, language: "same_as_prompt", slideshowType: "educational" },
    visuals: { packId: null, aspectRatio: "4:5", textSettings: visuals.textSettings },
  });
});

test("201 drops unknown keys at every level of the config", async () => {
  const { api } = await createTestTenant();
  const config = buildTemplateConfig();
  const [first, second] = config.structure.slides;
  const more = { extra: { deep: 1 } };
  const { textSettings } = config.visuals;
  const made = await createTemplate(api, {
    config: {
      ...config,
      ...more,
      structure: {
        ...config.structure,
        ...more,
        slides: [
          { ...first, ...more, textElements: first?.textElements.map((text) => ({ ...text, ...more })) },
          { ...second, ...more, image: { ...(second && "image" in second ? second.image : {}), ...more } },
        ],
      },
      content: { ...config.content, ...more },
      visuals: { ...config.visuals, ...more, textSettings: { ...textSettings, ...more } },
    },
  });
  expect(made.config).toEqual(config);
});

test("201 at every limit: 35 slides, 10 texts of 500 characters, the edges of the slide, a name of 100 characters", async () => {
  const { api } = await createTestTenant();
  const config = buildTemplateConfig();
  const text = (at: number, size: number) => ({
    id: newId(),
    content: "x".repeat(500),
    x: at,
    y: at,
    width: at,
    fontSize: size,
  });
  const textElements = [...Array.from({ length: 9 }, () => text(0, 8)), text(100, 200)];
  const slides = Array.from({ length: 35 }, () => ({
    type: "pack" as const,
    id: newId(),
    pinnedImageUrl: PICTURE,
    textElements,
  }));
  const last = { "34": newId(), [slides[3]?.id ?? ""]: newId() };
  const full = {
    ...config,
    structure: { slides, packAssignments: last },
    content: { ...config.content, prompt: "p".repeat(2000) },
    visuals: { ...config.visuals, textSettings: { fontSize: "s".repeat(64), preset: "p", width: "w" } },
  };
  const made = await createTemplate(api, { name: "\u{1f525}".repeat(100), description: "d".repeat(500), config: full });
  expect(made.config).toEqual(full);
  expect([...made.name]).toHaveLength(100);
});

type Config = ReturnType<typeof buildTemplateConfig>;
/** A config with the value at one path replaced. */
function createBrokenConfig(path: string, value: unknown): object {
  const config: Config = buildTemplateConfig();
  const steps = path.split(".");
  let at = config as unknown as Record<string, unknown>;
  for (const step of steps.slice(0, -1)) at = at[step] as Record<string, unknown>;
  const last = steps.at(-1) ?? "";
  if (value === undefined) delete at[last];
  else at[last] = value;
  return config;
}

const text = "structure.slides.0.textElements.0";
const repeat = (length: number, item: () => object) => Array.from({ length }, item);
const [PACK_SLIDE] = buildTemplateConfig().structure.slides;
const [TEXT] = PACK_SLIDE?.textElements ?? [];

test.each<[path: string, value: unknown]>([
  ["version", 2],
  ["version", undefined],
  ["version", "1"],
  ["structure", undefined],
  ["structure.slides", []],
  ["structure.slides", repeat(36, () => ({ ...PACK_SLIDE, id: newId() }))],
  ["structure.slides.0.type", "video"],
  ["structure.slides.0.type", undefined],
  ["structure.slides.0.id", "one"],
  ["structure.slides.0.pinnedImageUrl", "ftp://media.example.com/a.png"],
  ["structure.slides.0.textElements", null],
  ["structure.slides.0.textElements", repeat(11, () => ({ ...TEXT, id: newId() }))],
  ["structure.slides.1.image", undefined],
  ["structure.slides.1.image.url", "beach.jpg"],
  ["structure.packAssignments", "none"],
  ["structure.packAssignments.0", "beach"],
  ["structure.packAssignments.2", newId()],
  [`${text}.id`, 7],
  [`${text}.content`, "x".repeat(501)],
  [`${text}.x`, -0.1],
  [`${text}.y`, 100.1],
  [`${text}.width`, 101],
  [`${text}.width`, null],
  [`${text}.fontSize`, 7],
  [`${text}.fontSize`, 201],
  [`${text}.fontSize`, "48"],
  ["content.mode", "robot"],
  ["content.prompt", "p".repeat(2001)],
  ["content.productId", "lamp"],
  ["content.language", "not a language!"],
  ["content.slideshowType", "funny"],
  ["visuals.packId", "beach"],
  ["visuals.aspectRatio", "4x5"],
  ["visuals.aspectRatio", "9:1"],
  ["visuals.textSettings.fontSize", 48],
  ["visuals.textSettings.fontSize", ""],
  ["visuals.textSettings.preset", "p".repeat(65)],
  ["visuals.textSettings.width", undefined],
])("422 invalid_template_config reports %s when it is %j", async (path, value) => {
  const { api } = await createTestTenant();
  const response = await api.post("/templates", { name: "a", config: createBrokenConfig(path, value) });
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_template_config"]);
  expect(Object.keys(response.body.issues.fieldErrors)).toEqual(["config"]);
  expect(response.body.issues.fieldErrors.config.join("\n")).toContain(`${path}: `);
  expect(response.body.message).toContain("config");
});

test("422 invalid_template_config for a config that is not an object or contains unstorable text", async () => {
  const { api } = await createTestTenant();
  for (const config of [
    null,
    1,
    "v1",
    [],
    createBrokenConfig(`${text}.content`, "a\0b"),
    createBrokenConfig(`${text}.content`, "\ud800"),
  ]) {
    const response = await api.post("/templates", { name: "a", config });
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_template_config"]);
  }
});

test.each<[field: string, body: object]>([
  ["name", { config: buildTemplateConfig() }],
  ["name", { name: " \t ", config: buildTemplateConfig() }],
  ["name", { name: "x".repeat(101), config: buildTemplateConfig() }],
  ["name", { name: 5, config: buildTemplateConfig() }],
  ["name", { name: "a\0", config: buildTemplateConfig() }],
  ["config", { name: "a" }],
  ["description", { name: "a", config: buildTemplateConfig(), description: "d".repeat(501) }],
  ["visibility", { name: "a", config: buildTemplateConfig(), visibility: "public" }],
  ["visibility", { name: "a", config: buildTemplateConfig(), visibility: null }],
  ["colour", { name: "a", config: buildTemplateConfig(), colour: "red" }],
  ["constructor", { name: "a", config: buildTemplateConfig(), constructor: "red" }],
])("422 invalid_payload for the field %s", async (field, body) => {
  const { api } = await createTestTenant();
  const response = await api.post("/templates", body);
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
});

test("422 invalid_payload reports both an invalid config and another invalid field", async () => {
  const { api } = await createTestTenant();
  const response = await api.post("/templates", { name: "", config: createBrokenConfig("version", 2) });
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(Object.keys(response.body.issues.fieldErrors).toSorted()).toEqual(["config", "name"]);
});

test("409 template_name_conflict for a name of the scope, ignoring padding and Unicode composition", async () => {
  const { api } = await createTestTenant();
  await createTemplate(api, { name: "Caf\u00e9" });
  for (const name of ["Caf\u00e9", " Caf\u00e9 ", "Cafe\u0301"]) {
    const response = await api.post("/templates", { name, config: buildTemplateConfig() });
    expect([response.status, response.body.error_code]).toEqual([409, "template_name_conflict"]);
    expect(response.body.message).toContain("Caf\u00e9");
  }
  await createTemplate(api, { name: "caf\u00e9" });
});

test("201 for a name of other scopes, including the owner's personal scope and other workspaces", async () => {
  const [one, other] = [await createTestTenant(), await createTestTenant({ personal: true })];
  await createTemplate(one.api, { name: "Ours" });
  expect((await createTemplate(other.api, { name: "Ours" })).name).toBe("Ours");
});

test("201 for one of 20 parallel creates with one name, 409 for the others", async () => {
  const { api } = await createTestTenant();
  const name = newId();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => api.post("/templates", { name, config: buildTemplateConfig() })),
  );
  const codes = responses.map(({ status, body }) => body.error_code ?? status);
  expect(codes.filter((code) => code === 201)).toHaveLength(1);
  expect(codes.filter((code) => code === "template_name_conflict")).toHaveLength(19);
  expect((await api.get(`/templates?search=${name}`)).body.data.total).toBe(1);
});

test("403 forbidden_template for visibility workspace with a personal key", async () => {
  const { api } = await createTestTenant({ personal: true });
  const name = newId();
  const response = await api.post("/templates", { name, visibility: "workspace", config: buildTemplateConfig() });
  expect([response.status, response.body.error_code]).toEqual([403, "forbidden_template"]);
  expect(response.body.message).toMatch(/visibility.*personal key/);
  expect((await api.get(`/templates?search=${name}`)).body.data.templates).toEqual([]);
});

test("201 replays the response for the same Idempotency-Key, 409 for another body", async () => {
  const { api } = await createTestTenant();
  const headers = { "Idempotency-Key": newId() };
  const body = { name: "Once", config: buildTemplateConfig() };
  const [first, again] = [await api.post("/templates", body, headers), await api.post("/templates", body, headers)];
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const other = await api.post("/templates", { ...body, name: "Twice" }, headers);
  expect([other.status, other.body.error_code]).toEqual([409, "idempotency_key_reused"]);
});
