// Duplicating and deleting slideshows.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";
import { buildSlide, createSlideshow, markRendered } from "./factories.ts";

describe("duplicate", () => {
  test("201 returns an equal draft without rendered images", async () => {
    const { api } = await createTestTenant();
    const made = await createSlideshow(api, {
      title: "Mine",
      slides: [buildSlide("a"), buildSlide("b")],
      settings: { aspect_ratio: "1:1" },
    });
    await markRendered(made.id);
    const response = await api.post(`/slideshows/${made.id}/duplicate`);
    expect(response.status).toBe(201);
    const { id, created_at, updated_at } = response.body.data;
    expect(response.body.data).toEqual({ ...made, id, title: "Mine (copy)", created_at, updated_at });
    expect(id).not.toBe(made.id);
    expect((await api.get(`/slideshows/${made.id}`)).body.data.status).toBe("rendered");
  });

  test("201 once for an Idempotency-Key; 404 for another workspace's slideshow", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const made = await createSlideshow(mine.api, { slides: [buildSlide("a")] });
    const key = { "Idempotency-Key": newId() };
    const copies = [1, 2].map(() => mine.api.post(`/slideshows/${made.id}/duplicate`, {}, key));
    const answered = (await Promise.all(copies)).filter(({ status }) => status === 201);
    expect(answered.length).toBeGreaterThan(0);
    expect((await mine.api.get("/slideshows")).body.data.total).toBe(2);
    const hidden = await theirs.api.post(`/slideshows/${made.id}/duplicate`);
    expect([hidden.status, hidden.body.error_code]).toEqual([404, "not_found"]);
  });
});

describe("delete", () => {
  test("200 once, then 404; 404 for another workspace's slideshow", async () => {
    const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
    const made = await createSlideshow(mine.api, { slides: [buildSlide("a")] });
    const hidden = await theirs.api.delete(`/slideshows/${made.id}`);
    expect([hidden.status, hidden.body.error_code]).toEqual([404, "not_found"]);
    const deleted = await mine.api.delete(`/slideshows/${made.id}`);
    expect([deleted.status, deleted.body.data]).toEqual([200, { id: made.id, deleted: true }]);
    for (const again of [
      await mine.api.delete(`/slideshows/${made.id}`),
      await mine.api.get(`/slideshows/${made.id}`),
    ]) {
      expect([again.status, again.body.error_code]).toEqual([404, "not_found"]);
    }
  });
});
