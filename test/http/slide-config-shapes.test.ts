import { describe, expect, test } from "vitest";
import { createMarker, createPack, generateSlideshow, getTexts, readModelRequests } from "../slideshows/factories.ts";
import { createTestTenant, type Tenant, type TestResponse } from "../support/harness.ts";

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
      const response = await generate(tenant, { total_slides: 2, slide_types }, { pack_id });
      expect(getErrors(response)).toEqual(rejected(/^slide_types: Must have 2 entries/));
    }
    const response = await generate(tenant, { total_slides: 1, slide_types: ["video"] }, { pack_id });
    expect(getErrors(response)).toEqual(rejected(/^slide_types\.0: /));
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

  test("slide_texts have the size of a heading, up to the length of two", async () => {
    const tenant = await createTestTenant();
    const title = "Why your list of things to do never gets any shorter";
    const { body } = await generate(tenant, {
      total_slides: 2,
      slide_texts: { "0": title, "1": `${title}. ${title}.` },
    });
    const slides: { text_elements: { font_size: number }[] }[] = body.data.slides;
    expect(slides.map(({ text_elements }) => text_elements.map(({ font_size }) => font_size))).toEqual([[84], [54]]);
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
    const response = await generate(tenant, { ...config, ...types }, { pack_id });
    expect(getErrors(response)).toEqual(rejected(/^pack_assignments\.1: Only an image_pack slide/));
  });

  test("keys are indices from 0 and in range", async () => {
    const tenant = await createTestTenant();
    for (const index of ["2", "-1", "01", "x"]) {
      const response = await generate(tenant, { total_slides: 2, slide_texts: { [index]: "Text" } });
      expect(getErrors(response)).toEqual(rejected(/^slide_texts/));
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

  test("total_slides counts where the default slide_count of a client disagrees", async () => {
    const tenant = await createTestTenant();
    const pack_id = await createPack(tenant, PACK, false);
    for (const slide_count of [5, 3, 1]) {
      const slide_types = ["image_pack", "image_pack", "image_pack"];
      const made = await generate(tenant, { total_slides: 3, slide_types }, { slide_count, pack_id });
      expect([made.status, made.body.data.slide_count]).toEqual([201, 3]);
    }
    expect((await generate(tenant, {}, { slide_count: 4 })).body.data.slide_count).toBe(4);
    const beyond = await generate(tenant, { total_slides: 2, slide_texts: { "3": "Text" } }, { slide_count: 5 });
    expect(getErrors(beyond)).toEqual(
      rejected(/^slide_texts\.3: Must be an index below the number of slides, which is 2/),
    );
  });
});
