// The caller learns why a body is not JSON, and why another value cannot be read.
import { expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";

const { api } = await createTestTenant();

const LONG = `{"caption": "${"long ".repeat(200)}", "accounts": [1 2]}`;

test.each([
  ['{"caption": "x",}', ": character 17 is not expected"],
  ['{"caption": "x"', ": it ends within a value, after 15 characters"],
  ['{"caption": "x', ": it ends within a value, after 14 characters"],
  ['\n  {"caption": "x",}', ": character 20 is not expected"],
  ["caption=x&y=1", ": character 1 is not expected"],
  [LONG, `: character ${LONG.indexOf("2") + 1} is not expected`],
])("400 invalid_json names the position: %.20s", async (raw, position) => {
  const { status, body } = await api.call("POST", "/posts", { raw });
  expect([status, body.error_code]).toEqual([400, "invalid_json"]);
  expect(body.message).toBe(`The body is not valid JSON${position}.`);
});

test("422 invalid_payload names the types of media, and a missing URL as missing", async () => {
  const send = async (media: unknown) =>
    (await api.post("/posts", { caption: "x", accounts: [{ id: crypto.randomUUID() }], media })).body.fields[0];
  const url = "https://cdn.example.com/a.jpg";
  expect(await send({ type: "image", url })).toMatchObject({
    path: "media.type",
    message: "Must be video, slideshow or carousel; a single image is a slideshow with one URL.",
  });
  expect(await send({ type: "video" })).toMatchObject({
    path: "media.url",
    message: "Required. Must be an http or https URL.",
  });
});

test("404 says that an id in the path is not a UUID", async () => {
  const { status, body } = await api.get("/posts/POST_ID");
  expect([status, body.error_code]).toEqual([404, "not_found"]);
  expect(body.message).toBe("postId in the path is not a UUID, so that no post with this id is visible to the key.");
});

test.each(["11111111-1111-1111-1111-111111111111", "00000000-0000-0000-0000-000000000001"])(
  "a UUID of any version names no record, in a body and in a query as in a path: %s",
  async (id) => {
    const folder = await api.post("/folders", { name: id, media_type: "upload" });
    const path = `/folders/${folder.body.data.id}`;
    const slides = [{ text_elements: [{ content: "x", x: 1, y: 1 }], image_url: null }];
    const responses = await Promise.all([
      api.get(`/folders/${id}`),
      api.get(`/folders?parent_folder_id=${id}`),
      api.patch(path, { parent_folder_id: id }),
      api.post(`${path}/items`, { item_ids: [id] }),
      api.post("/slideshows", { slides, product_id: id }),
      api.post("/posts", { caption: "x", accounts: [{ id }] }),
    ]);
    expect(responses.map(({ status, body }) => `${status} ${body.error_code}`)).toEqual([
      ...["404 not_found", "404 not_found", "404 not_found", "404 item_not_found", "404 product_not_found"],
      "400 unknown_accounts",
    ]);
  },
);
