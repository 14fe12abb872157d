// Other names of fields that clients of such APIs send, and what responses have beside the documented fields for them.
import { expect, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { createFolder, insertFiles } from "../folders/factories.ts";
import { buildSlide, createPack, createSlideshow } from "../slideshows/factories.ts";
import { createTestTenant, type TestResponse } from "../support/harness.ts";
import { buildTemplateConfig } from "../templates/factories.ts";

const tenant = await createTestTenant();
const { api } = tenant;

const getFields = ({ status, body }: TestResponse) => [status, Object.keys(body.issues?.fieldErrors ?? {})];

test("the camelCase names of settings are the same fields in create, update and generate", async () => {
  const pack = await createPack(tenant, ["https://example.com/a.png"], false);
  const settings = {
    ...{ imagePackId: pack, aspectRatio: "9:16", slideshowType: "personal", packAssignments: { "0": pack } },
    advancedSettings: { fontSize: 44, textPreset: "shadow", textWidth: "narrow" },
  };
  const shown = {
    ...{ image_pack_id: pack, aspect_ratio: "9:16", slideshow_type: "personal", pack_assignments: { "0": pack } },
    advanced_settings: { font_size: 44, text_preset: "shadow", text_width: "narrow" },
  };
  const made = await createSlideshow(api, { slides: [buildSlide("a")], settings });
  expect(made.settings).toEqual(shown);
  const plain = await createSlideshow(api, { slides: [buildSlide("a")] });
  const patched = await api.patch(`/slideshows/${plain.id}`, { settings });
  expect(patched.body.data.settings).toEqual(shown);
  const merged = await api.patch(`/slideshows/${plain.id}`, { settings: { advancedSettings: { fontSize: "small" } } });
  expect(merged.body.data.settings.advanced_settings).toEqual({ ...shown.advanced_settings, font_size: "small" });
  const cleared = await api.patch(`/slideshows/${plain.id}`, {
    settings: { imagePackId: null, packAssignments: null },
  });
  expect(cleared.body.data.settings).not.toHaveProperty("image_pack_id");
  const generated = await api.post("/slideshows/generate", {
    skip_ai: true,
    advanced_settings: { textWidth: "narrow" },
  });
  expect(generated.body.data.settings.advanced_settings).toMatchObject({ text_width: "narrow" });
});

test.each<[settings: object, field: RegExp]>([
  [{ aspect_ratio: "4:5", aspectRatio: "1:1" }, /^aspectRatio: Is an alias of aspect_ratio/],
  [{ image_pack_id: null, imagePackId: "0198f1c2-6d1e-7b3a-9c55-2f0a4be1d7c3" }, /^imagePackId: /],
  [{ advanced_settings: { font_size: 40, fontSize: 41 } }, /^advanced_settings\.fontSize: /],
  [{ advanced_settings: { font_size: 40 }, advancedSettings: { fontSize: 41 } }, /^advancedSettings: /],
  [{ pack_assignments: {}, packAssignments: null }, /^packAssignments: /],
  [{ advancedSettings: { lineHeight: 2 } }, /^advancedSettings\.lineHeight: Unknown field/],
  [{ aspectRatio: "wide" }, /^aspectRatio: Must be <width>:<height>/],
])("422 for settings %j", async (settings, field) => {
  const { id } = await createSlideshow(api, { slides: [buildSlide("a")] });
  for (const response of [
    await api.patch(`/slideshows/${id}`, { settings }),
    await api.post("/slideshows", { slides: [buildSlide("a")], settings }),
  ]) {
    expect([response.status, response.body.issues.fieldErrors.settings[0]]).toEqual([
      422,
      expect.stringMatching(field),
    ]);
  }
});

test("200 for both names of a setting with one value", async () => {
  const { id } = await createSlideshow(api, { slides: [buildSlide("a")] });
  const settings = {
    ...{ aspect_ratio: "1:1", aspectRatio: "1:1" },
    ...{
      advanced_settings: { font_size: 40, text_width: "narrow" },
      advancedSettings: { textWidth: "narrow", fontSize: 40 },
    },
  };
  expect((await api.patch(`/slideshows/${id}`, { settings })).body.data.settings).toMatchObject({
    aspect_ratio: "1:1",
  });
});

test("template slides may leave out textElements, and their elements fontSize and width", async () => {
  const config = buildTemplateConfig();
  const [first] = config.structure.slides;
  const element = { id: "0198f1c2-6d1e-7b3a-9c55-2f0a4be1d7c3", content: "Hook", x: 50, y: 40 };
  const bare = { type: "pack", id: first?.id, pinnedImageUrl: null };
  const slides = [bare, { ...bare, textElements: [] }, { ...bare, textElements: [element] }];
  const made = await api.post("/templates", { name: "Bare", config: { ...config, structure: { slides } } });
  expect(made.status).toBe(201);
  const stored = (await api.get(`/templates/${made.body.data.id}`)).body.data.config.structure.slides;
  expect(stored.map((slide: { textElements: object[] }) => slide.textElements)).toEqual([[], [], [element]]);
  const draft = await api.post("/slideshows", { template_id: made.body.data.id });
  expect(draft.body.data.slides[2].text_elements).toEqual([element]);
  expect((await api.post(`/slideshows/${draft.body.data.id}/render`)).status).toBe(200);
});

test("POST /files and /files/multipart take hints, which decide nothing", async () => {
  const hints = { width: 1080, height: 1920, duration_seconds: 12.5, mime_type: "video/mp4" };
  const start = { contentType: "video/mp4", size: 1_000 };
  for (const path of ["/files", "/files/multipart"]) {
    for (const more of [hints, { metadata: hints }, { duration: 3, mime: "video/mp4" }, { metadata: {} }]) {
      const started = await api.post(path, { ...start, ...more });
      expect(started.status).toBe(201);
    }
    const wrong = { ...start, width: 0, height: "tall", duration_seconds: -1, metadata: { color: "red" } };
    const fields = ["duration_seconds", "height", "metadata", "width"];
    const refused = getFields(await api.post(path, wrong));
    expect([refused[0], (refused[1] as string[]).toSorted()]).toEqual([422, fields]);
  }
});

test("analytics queries take snake_case names and published_at; disagreeing names are refused", async () => {
  const { target } = (await api.post("/analytics/targets", { platform: "tiktok", identifier: "@one" })).body.data;
  const filter = `platform=tiktok&account_ids=${target.id}`;
  for (const path of ["/analytics/summary", "/analytics/summary/posts"]) {
    expect((await api.get(`${path}?${filter}`)).status).toBe(200);
    expect((await api.get(`${path}?platforms=tiktok&platform=tiktok`)).status).toBe(200);
    const refused = await api.get(`${path}?platforms=tiktok&platform=youtube`);
    expect([refused.status, refused.body.error_code]).toEqual([400, "invalid_query"]);
  }
  const posts = (query: string) => api.get(`/analytics/summary/posts?${query}`);
  for (const query of [
    ...["sortBy=published_at", "sortBy=publishedAt", "sort_by=published_at&sort_order=asc", "sort_by=views"],
    ...["sortBy=publishedAt&sort_by=published_at", "sortOrder=asc&sort_order=asc", `${filter}&sort_by=likes&limit=5`],
  ]) {
    expect([query, (await posts(query)).status]).toEqual([query, 200]);
  }
  for (const query of ["sortBy=views&sort_by=likes", "sortOrder=asc&sort_order=desc", "sort_by=date", "sort=views"]) {
    expect([query, (await posts(query)).status]).toEqual([query, 400]);
  }
});

test("a refresh stands in data itself and once more under refresh", async () => {
  const { target } = (await api.post("/analytics/targets", { platform: "tiktok", identifier: "@two" })).body.data;
  const { status, body } = await api.post(`/analytics/targets/${target.id}/refresh`);
  const { refresh, wasFree, ...own } = body.data;
  expect([status, wasFree, own]).toEqual([202, true, refresh]);
  expect(refresh).toMatchObject({
    ...{ target_id: target.id, workspace_id: tenant.workspaceId, status: "pending" },
    ...{ free_refresh_used: true, credits_used: null, started_at: null, completed_at: null, error: null },
  });
  expect((await api.get(`/analytics/refreshes/${own.id}`)).body.data).toMatchObject({ ...own, refresh: own });
});

test("lists say what clients read from them", async () => {
  const url = await uploadDemoVideo(api);
  const [file] = (await api.get("/files?context=media-upload")).body.data.files;
  expect(file).toMatchObject({ url, context: "media-upload" });
  expect((await api.get(`/files/${file.id}`)).body.data).toMatchObject({
    context: "media-upload",
    file: { context: "media-upload" },
  });
  const [image] = await insertFiles(tenant, 1, "ai_image");
  const [generated] = (await api.get("/files?context=ai-studio")).body.data.files;
  expect(generated).toMatchObject({ id: image, context: "ai-studio" });

  const folder = await createFolder(tenant, { mediaType: "upload" });
  await api.post(`/folders/${folder.id}/items`, { item_ids: [file.id] });
  const [item] = (await api.get(`/folders/${folder.id}/items`)).body.data.items;
  expect(item).toMatchObject({ contentType: "video/mp4", content_type: "video/mp4", context: "media-upload" });

  await createPack(tenant, ["https://example.com/first.png", "https://example.com/second.png"], false);
  const [pack] = (await api.get("/packs?include_public=false")).body.data.packs;
  expect(pack.preview_image_url).toBe("https://example.com/first.png");
  await api.post("/packs", { name: "Empty" });
  expect((await api.get("/packs?search=Empty&include_public=false")).body.data.packs[0].preview_image_url).toBeNull();

  expect((await api.get("/analytics/targets")).body.data.workspace_id).toBe(tenant.workspaceId);
  const made = await createSlideshow(api, { title: "Shown", slides: [buildSlide("a")] });
  const find = async () => (await api.get("/slideshows?search=Shown")).body.data.slideshows[0].has_rendered_slide;
  expect(await find()).toBe(false);
  await api.post(`/slideshows/${made.id}/render`);
  expect(await find()).toBe(true);
  await api.patch(`/slideshows/${made.id}`, { slides: [buildSlide("b")] });
  expect(await find()).toBe(false);
});
