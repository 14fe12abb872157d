// Updating slideshows: fields, stale images and parallel changes.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { buildSlide, createProduct, createSlideshow, markRendered } from "./factories.ts";

test("200 returns exactly the fields of an update, equal to the next read", async () => {
  const tenant = await createTestTenant();
  const product = await createProduct(tenant, "Kettle");
  const made = await createSlideshow(tenant.api, { slides: [buildSlide("a")] });
  const patch = { title: "New", status: "rendered", slideshow_type: "personal", product_id: product };
  const response = await tenant.api.patch(`/slideshows/${made.id}`, patch);
  expect(response.status).toBe(200);
  expect(response.body.data).toEqual({
    id: made.id,
    ...patch,
    slide_count: 1,
    settings: { ...made.settings, slideshow_type: "personal" },
  });
  const { data } = (await tenant.api.get(`/slideshows/${made.id}`)).body;
  expect(data).toEqual({ ...made, ...response.body.data, updated_at: data.updated_at });
  expect(Date.parse(data.updated_at)).toBeGreaterThanOrEqual(Date.parse(String(made.updated_at)));
});

test("200 product_id null detaches the product", async () => {
  const tenant = await createTestTenant();
  const product_id = await createProduct(tenant, "Kettle");
  const made = await createSlideshow(tenant.api, { slides: [buildSlide("a")], product_id });
  expect(made.product_id).toBe(product_id);
  const response = await tenant.api.patch(`/slideshows/${made.id}`, { product_id: null });
  expect([response.status, response.body.data.product_id]).toEqual([200, null]);
});

describe("settings", () => {
  test("200 merges settings, and advanced_settings field by field", async () => {
    const { api } = await createTestTenant();
    const [pack, other] = [newId(), newId()];
    const stored = {
      image_pack_id: pack,
      aspect_ratio: "9:16",
      advanced_settings: { font_size: 60, text_preset: "shadow" },
      pack_assignments: { "0": other },
    };
    const made = await createSlideshow(api, { slides: [buildSlide("a")], settings: stored });
    const patch = async (settings: object) =>
      (await api.patch(`/slideshows/${made.id}`, { settings })).body.data.settings;
    expect(await patch({ advanced_settings: { text_preset: "white", text_width: "wide" } })).toEqual({
      ...stored,
      slideshow_type: "educational",
      advanced_settings: { font_size: 60, text_preset: "white", text_width: "wide" },
    });
    expect(await patch({ image_pack_id: null, pack_assignments: null })).toEqual({
      aspect_ratio: "9:16",
      slideshow_type: "educational",
      advanced_settings: { font_size: 60, text_preset: "white", text_width: "wide" },
      pack_assignments: null,
    });
    expect(await patch({ pack_assignments: { "1": pack } })).toMatchObject({ pack_assignments: { "1": pack } });
    const typed = await api.patch(`/slideshows/${made.id}`, { settings: { slideshow_type: "personal" } });
    expect(typed.body.data).toMatchObject({ slideshow_type: "personal", settings: { slideshow_type: "personal" } });
  });
});

describe("rendered images", () => {
  const artifacts = { preview_image_url: "https://cdn.example.com/0.png", last_rendered_at: expect.any(String) };
  const none = { preview_image_url: null, last_rendered_at: null };

  async function rendered() {
    const { api } = await createTestTenant();
    const settings = { aspect_ratio: "1:1", advanced_settings: { font_size: 50 } };
    const made = await createSlideshow(api, { slides: [buildSlide("a"), buildSlide("b")], settings });
    await markRendered(made.id);
    const read = async () => (await api.get(`/slideshows/${made.id}`)).body.data;
    expect(await read()).toMatchObject({ status: "rendered", ...artifacts });
    return { patch: (body: object) => api.patch(`/slideshows/${made.id}`, body), read };
  }

  test.each([
    [[buildSlide("new")], 1],
    [[], 0],
  ])("200 new slides %j make a draft and clear every image", async (slides, count) => {
    const { patch, read } = await rendered();
    const response = await patch({ slides });
    expect(response.body.data).toMatchObject({ status: "draft", slide_count: count });
    expect(await read()).toMatchObject({
      status: "draft",
      ...none,
      slides: slides.map((one, index) => ({ ...one, index, rendered_image_url: null })),
    });
  });

  test("200 slides that are sent back unchanged lose their images too", async () => {
    const { patch, read } = await rendered();
    const { slides } = await read();
    expect(slides[0].rendered_image_url).toMatch(/^https:/);
    await patch({ slides, status: "rendered" });
    const after = await read();
    expect(after).toMatchObject({ status: "draft", ...none });
    expect(after.slides.map((one: { rendered_image_url: unknown }) => one.rendered_image_url)).toEqual([null, null]);
  });

  test.each([
    [{ slides: [buildSlide("new")] }, "draft"],
    [{ slides: [], settings: { aspect_ratio: "9:16" } }, "draft"],
    [{ settings: { aspect_ratio: "9:16" } }, "rendered"],
    [{ settings: { advanced_settings: { font_size: 51 } }, title: "Other" }, "rendered"],
    [{ settings: { slideshow_type: "personal" } }, "rendered"],
  ])("200 a draft with the change %j and the status rendered is stored as %s", async (change, status) => {
    const { api } = await createTestTenant();
    const { id } = await createSlideshow(api, { slides: [buildSlide("a")] });
    const response = await api.patch(`/slideshows/${id}`, { ...change, status: "rendered" });
    expect([response.status, response.body.data.status]).toEqual([200, status]);
    expect((await api.get(`/slideshows/${id}`)).body.data.status).toBe(status);
  });

  test.each([
    [{ settings: { aspect_ratio: "9:16" } }, "draft"],
    [{ settings: { advanced_settings: { text_preset: "white" } } }, "draft"],
    [{ settings: { advanced_settings: { font_size: 51 } }, status: "draft" }, "draft"],
    [{ settings: { advanced_settings: { font_size: 51 } }, status: "rendered" }, "rendered"],
  ])("200 the style change %j clears every image, and the status is %s", async (body, status) => {
    const { patch, read } = await rendered();
    expect((await patch(body)).body.data.status).toBe(status);
    const after = await read();
    expect(after).toMatchObject({ status, ...none, slide_count: 2 });
    expect(after.slides.map((one: { rendered_image_url: unknown }) => one.rendered_image_url)).toEqual([null, null]);
  });

  test.each([
    [{ title: "Other" }],
    [{ slideshow_type: "personal" }],
    [{ settings: {} }],
    [{ settings: { image_pack_id: newId(), pack_assignments: { "0": newId() } } }],
    [{ settings: { aspect_ratio: "1:1", advanced_settings: { font_size: 50 } } }],
  ])("200 %j keeps the images", async (body) => {
    const { patch, read } = await rendered();
    const before = await read();
    expect((await patch(body)).body.data.status).toBe("rendered");
    expect(await read()).toMatchObject({ status: "rendered", ...artifacts, slides: before.slides });
  });

  test("200 status alone is set in both directions and keeps the images", async () => {
    const { patch, read } = await rendered();
    expect((await patch({ status: "draft" })).body.data.status).toBe("draft");
    expect(await read()).toMatchObject({ status: "draft", ...artifacts });
    expect((await patch({ status: "rendered" })).body.data.status).toBe("rendered");
    const { api } = await createTestTenant();
    const bare = await createSlideshow(api, { slides: [buildSlide("a")] });
    const response = await api.patch(`/slideshows/${bare.id}`, { status: "rendered" });
    expect([response.status, response.body.data.status]).toEqual([200, "rendered"]);
  });
});

test("200 keeps parallel changes of different fields", async () => {
  const { api } = await createTestTenant();
  const made = await createSlideshow(api, { slides: [buildSlide("a")] });
  const patches = [
    { title: "Parallel" },
    { slideshow_type: "personal" },
    { slides: [buildSlide("x"), buildSlide("y")] },
    { settings: { aspect_ratio: "3:4" } },
    { settings: { image_pack_id: made.id } },
    { settings: { pack_assignments: { "1": made.id } } },
    { settings: { advanced_settings: { font_size: 33 } } },
    { settings: { advanced_settings: { text_preset: "black" } } },
    { settings: { advanced_settings: { text_width: "narrow" } } },
  ];
  const responses = await Promise.all(patches.map((patch) => api.patch(`/slideshows/${made.id}`, patch)));
  expect(responses.map(({ status }) => status)).toEqual(patches.map(() => 200));
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toMatchObject({
    title: "Parallel",
    slideshow_type: "personal",
    slide_count: 2,
    settings: {
      image_pack_id: made.id,
      aspect_ratio: "3:4",
      slideshow_type: "personal",
      advanced_settings: { font_size: 33, text_preset: "black", text_width: "narrow" },
      pack_assignments: { "1": made.id },
    },
  });
});

describe("errors", () => {
  test("422 invalid_payload for an empty body and an empty object", async () => {
    const { api } = await createTestTenant();
    const { id } = await createSlideshow(api, { slides: [buildSlide("a")] });
    for (const raw of ["{}", ""]) {
      const response = await api.call("PATCH", `/slideshows/${id}`, { raw });
      expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
      expect(response.body.issues.formErrors).toHaveLength(1);
    }
  });

  test.each([
    [{ title: null }],
    [{ status: "published" }],
    [{ slideshow_type: "" }],
    [{ product_id: "x" }],
    [{ settings: { aspect_ratio: "0:4" } }],
    [{ settings: { advanced_settings: { font: 1 } } }],
    [{ slides: null }],
    [{ slides: Array.from({ length: 36 }, () => buildSlide("a")) }],
    [{ slides: [{ image_url: null }] }],
  ])("422 invalid_payload for %j", async (body) => {
    const { api } = await createTestTenant();
    const { id } = await createSlideshow(api, { slides: [buildSlide("a")] });
    const response = await api.patch(`/slideshows/${id}`, body);
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
    expect(Object.keys(response.body.issues.fieldErrors)).toEqual(Object.keys(body));
  });

  test("404 not_found for another workspace's slideshow, with any product", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const { id } = await createSlideshow(theirs.api, { slides: [buildSlide("a")] });
    for (const body of [
      { title: "Mine now" },
      { product_id: await createProduct(mine, "Kettle") },
      { product_id: newId() },
    ]) {
      const response = await mine.api.patch(`/slideshows/${id}`, body);
      expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
    }
    expect((await theirs.api.get(`/slideshows/${id}`)).body.data.title).toBe("Untitled slideshow");
  });

  test("404 product_not_found and 403 forbidden_product_access change nothing", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const made = await createSlideshow(mine.api, { slides: [buildSlide("a")] });
    for (const [product_id, status, code] of [
      [newId(), 404, "product_not_found"],
      [await createProduct(theirs, "Theirs"), 403, "forbidden_product_access"],
    ] as const) {
      const response = await mine.api.patch(`/slideshows/${made.id}`, { title: "Changed", product_id });
      expect([response.status, response.body.error_code]).toEqual([status, code]);
    }
    expect((await mine.api.get(`/slideshows/${made.id}`)).body.data).toEqual(made);
  });
});

describe("expected_updated_at", () => {
  test("the one of the last read or update is taken, and each update returns the next", async () => {
    const { api } = await createTestTenant();
    const made = await createSlideshow(api, { slides: [buildSlide("a")] });
    const send = (expected: string, title: string) =>
      api.patch(`/slideshows/${made.id}`, { expected_updated_at: expected, title });
    const first = await send(String(made.updated_at), "One");
    expect([first.status, first.body.data.title]).toEqual([200, "One"]);
    expect(first.body.data.updated_at > String(made.updated_at)).toBe(true);
    const second = await send(first.body.data.updated_at, "Two");
    expect([second.status, second.body.data.title]).toEqual([200, "Two"]);
    expect(second.body.data.updated_at).toBe((await api.get(`/slideshows/${made.id}`)).body.data.updated_at);
  });

  test("409 slideshow_conflict for another one, and nothing is stored", async () => {
    const { api } = await createTestTenant();
    const made = await createSlideshow(api, { title: "First", slides: [buildSlide("a")] });
    await api.patch(`/slideshows/${made.id}`, { title: "Theirs" });
    const late = await api.patch(`/slideshows/${made.id}`, { expected_updated_at: made.updated_at, title: "Mine" });
    expect([late.status, late.body.error_code]).toEqual([409, "slideshow_conflict"]);
    expect((await api.get(`/slideshows/${made.id}`)).body.data.title).toBe("Theirs");
  });

  test("of ten updates of one version, one is stored", async () => {
    const { api } = await createTestTenant();
    const made = await createSlideshow(api, { slides: [buildSlide("a")] });
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        api.patch(`/slideshows/${made.id}`, { expected_updated_at: made.updated_at, title: `Title ${at}` }),
      ),
    );
    const stored = responses.filter(({ status }) => status === 200);
    expect(stored).toHaveLength(1);
    expect((await api.get(`/slideshows/${made.id}`)).body.data.title).toBe(stored[0]?.body.data.title);
    for (const { status, body } of responses) if (status !== 200) expect(body.error_code).toBe("slideshow_conflict");
  });

  test("a render makes a new version; 422 alone; 404 for another workspace's slideshow", async () => {
    const { api } = await createTestTenant();
    const made = await createSlideshow(api, { slides: [buildSlide("a")] });
    const rendered = await api.post(`/slideshows/${made.id}/render`, {});
    expect(rendered.body.data.updated_at > String(made.updated_at)).toBe(true);
    const alone = await api.patch(`/slideshows/${made.id}`, { expected_updated_at: made.updated_at });
    expect([alone.status, alone.body.error_code]).toEqual([422, "invalid_payload"]);
    const body = { expected_updated_at: made.updated_at, title: "a" };
    const foreign = await (await createTestTenant()).api.patch(`/slideshows/${made.id}`, body);
    expect([foreign.status, foreign.body.error_code]).toEqual([404, "not_found"]);
  });
});
