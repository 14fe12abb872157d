// The pixels of rendered slides: sizes, backgrounds, collages, filters and overlays.
import { describe, expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { expectNear } from "./expect-near.ts";
import { FONTS } from "./fonts.ts";
import {
  BLACK,
  BLUE,
  buildImage,
  buildPlainImage,
  buildQuartersImage,
  type Color,
  GREEN,
  RED,
  WHITE,
  YELLOW,
} from "./test-images.ts";
import { buildSlide, buildText, createTestRenderer, getImageUrl } from "./test-renderer.ts";

const { render, renderFailing } = createTestRenderer(FONTS);
const SQUARE = { aspect_ratio: "1:1" };

describe("slides are 1080 wide, with a height by aspect ratio", () => {
  test.each([
    [undefined, 1350],
    ["4:5", 1350],
    ["9:16", 1920],
    ["1:1", 1080],
    ["4:1", 270],
    ["1:4", 4320],
    ["7:3", 463],
  ])("%s: %d", async (aspect_ratio, height) => {
    const image = await render(buildSlide(), { aspect_ratio });
    expect([image.width, image.height]).toEqual([1080, height]);
    expect(image.bytes.subarray(0, 3)).toEqual(new Uint8Array([0xff, 0xd8, 0xff]));
  });
});

describe("background", () => {
  test("covers the slide, centred and cropped", async () => {
    // A third is cropped on either side.
    const wide = buildImage(600, 200, (x) => (x < 1 / 3 || x >= 2 / 3 ? YELLOW : x < 0.5 ? RED : BLUE));
    const image = await render(buildSlide({ image_url: getImageUrl("wide") }), SQUARE, { wide });
    for (const y of [1, 50, 99]) {
      expectNear(image.at(1, y), RED, "left");
      expectNear(image.at(40, y), RED, "left of the middle");
      expectNear(image.at(60, y), BLUE, "right of the middle");
      expectNear(image.at(99, y), BLUE, "right");
    }
  });

  test("contrasts with the title when there is no image", async () => {
    const dark = await render(buildSlide({ text_elements: [buildText("a", { style_preset: "white" })] }), SQUARE);
    const light = await render(buildSlide({ text_elements: [buildText("a", { style_preset: "black" })] }), SQUARE);
    expectNear(dark.at(2, 2), [17, 17, 20], "under white");
    expectNear(light.at(2, 2), WHITE, "under black");
  });
});

describe("collage", () => {
  const images = {
    red: buildPlainImage(RED),
    green: buildPlainImage(GREEN),
    blue: buildPlainImage(BLUE),
    yellow: buildPlainImage(YELLOW),
  };
  const colors: Record<string, Color> = { red: RED, green: GREEN, blue: BLUE, yellow: YELLOW };
  const grid = (names: string[]) => names.map(getImageUrl);
  const four = ["red", "green", "blue", "yellow"];

  test.each([
    ["2x2", four, { red: [25, 25], green: [75, 25], blue: [25, 75], yellow: [75, 75] }, [50, 50]],
    ["1+2", four.slice(0, 3), { red: [50, 25], green: [25, 75], blue: [75, 75] }, [50, 75]],
    ["vertical", four, { red: [50, 12], green: [50, 37], blue: [50, 62], yellow: [50, 87] }, [10, 50]],
    ["horizontal", four, { red: [12, 50], green: [37, 50], blue: [62, 50], yellow: [87, 50] }, [50, 10]],
    ["vertical", four.slice(0, 2), { red: [50, 25], green: [50, 75] }, [10, 50]],
    ["2x2", four.slice(0, 3), { red: [25, 25], green: [75, 25], blue: [50, 75] }, [50, 25]],
    ["1+2", four.slice(0, 2), { red: [50, 25], green: [50, 75] }, [10, 50]],
  ] as const)("%s of %j: every image in its cell, with white gaps", async (grid_type, names, cells, gap) => {
    const image = await render(buildSlide({ grid_images: grid([...names]), grid_type }), SQUARE, images);
    for (const [name, [x, y]] of Object.entries(cells)) expectNear(image.at(x, y), colors[name] ?? BLACK, name);
    expectNear(image.at(gap[0], gap[1]), WHITE, "gap");
    for (const name of names) expect(image.find(colors[name] ?? BLACK).count, name).toBeGreaterThan(100_000);
  });

  test("replaces the background image, and a single image fills it", async () => {
    const one = buildSlide({ image_url: getImageUrl("blue"), grid_images: grid(["red"]), grid_type: "1+2" });
    const image = await render(one, SQUARE, images);
    expect(image.find(RED).count).toBe(1080 * 1080);
  });

  test("covers a cell: the sides of a wide image are cropped", async () => {
    const wide = buildImage(600, 100, (x) => (x < 0.4 || x >= 0.6 ? YELLOW : RED));
    const pair = buildSlide({ grid_images: grid(["wide", "blue"]), grid_type: "horizontal" });
    const image = await render(pair, SQUARE, { ...images, wide });
    expect(image.find(YELLOW).count).toBe(0);
    expect(image.find(RED).count).toBeGreaterThan(500_000);
  });
});

describe("filters match CSS", () => {
  const COLOR: Color = [200, 100, 50];
  const INK = [17, 17, 20];
  const grey = 0.2126 * 200 + 0.7152 * 100 + 0.0722 * 50;
  const mixed = (share: number) => COLOR.map((value, index) => (value ?? 0) * share + at(INK, index) * (1 - share));

  test.each([
    [{ brightness: 0.5 }, [100, 50, 25]],
    [{ brightness: 1.2 }, [240, 120, 60]],
    [{ contrast: 0.5 }, [164, 114, 89]],
    [{ contrast: 1.5 }, [236, 86, 11]],
    [{ saturation: 0 }, [grey, grey, grey]],
    [{ saturation: 0.5 }, [(200 + grey) / 2, (100 + grey) / 2, (50 + grey) / 2]],
    [{ hue: 180 }, [39, 139, 189]],
    [{ hue: -360 }, COLOR],
    [{ grayscale: 1 }, [grey, grey, grey]],
    [{ sepia: 1 }, [165, 147, 114]],
    [{ invert: 1 }, [55, 155, 205]],
    [{ opacity: 0.5 }, mixed(0.5)],
    [{ brightness: 0.5, invert: 1 }, [155, 205, 230]],
    [{ blur: 12 }, COLOR],
    [{ drop_shadow: 30 }, COLOR],
    [{}, COLOR],
  ])("%j results in %j", async (background_filters, wanted) => {
    const image = await render(buildSlide({ image_url: getImageUrl("a"), background_filters }), SQUARE, {
      a: buildPlainImage(COLOR),
    });
    for (const [x, y] of [
      [0, 0],
      [50, 50],
      [99.9, 99.9],
    ] as const)
      expectNear(image.at(x, y), wanted as unknown as Color, `at ${x}, ${y}`);
  });

  test("blur mixes neighbouring pixels, up to the edges of the slide", async () => {
    const half = buildImage(200, 200, (x) => (x < 0.5 ? BLACK : WHITE));
    const blurred = (blur: number) =>
      render(buildSlide({ image_url: getImageUrl("half"), background_filters: { blur } }), SQUARE, { half });
    const [sharp, soft] = [await blurred(0), await blurred(30)];
    expectNear(sharp.at(47, 50), BLACK, "sharp");
    const [value = 0] = soft.at(47, 50);
    expect(value).toBeGreaterThan(20);
    expect(value).toBeLessThan(110);
    expectNear(soft.at(0, 0), BLACK, "corner");
    expectNear(soft.at(99.9, 50), WHITE, "edge");
  });

  test("a drop shadow is visible in the gaps of a collage", async () => {
    const images = { red: buildPlainImage(RED), blue: buildPlainImage(BLUE) };
    const pair = { grid_images: [getImageUrl("red"), getImageUrl("blue")], grid_type: "vertical" as const };
    const lit = await render(buildSlide(pair), SQUARE, images);
    const shaded = await render(buildSlide({ ...pair, background_filters: { drop_shadow: 12 } }), SQUARE, images);
    expectNear(lit.at(50, 50), WHITE, "without");
    expect(shaded.at(50, 50)[0]).toBeLessThan(200);
  });

  test("apply to the background only, not to overlays", async () => {
    const overlay = {
      id: "1",
      image_url: getImageUrl("red"),
      x: 50,
      y: 20,
      width: 20,
      height: 20,
      rotation: 0,
      opacity: 1,
    };
    const invert = buildSlide({
      image_url: getImageUrl("blue"),
      image_overlays: [overlay],
      background_filters: { invert: 1 },
    });
    const image = await render(invert, SQUARE, { red: buildPlainImage(RED), blue: buildPlainImage(BLUE) });
    expectNear(image.at(50, 20), RED, "overlay");
    expectNear(image.at(5, 5), [225, 195, 55], "background");
  });
});

describe("extreme numbers", () => {
  const FAR = 1.7e308;

  test.each([
    ["a huge overlay", { x: 50, y: 50, width: FAR, height: FAR }],
    ["a distant overlay", { x: FAR, y: -FAR, width: 10, height: 10 }],
    ["a tiny overlay", { x: 50, y: 50, width: 5e-324, height: 5e-324 }],
  ])("%s", async (_what, place) => {
    const overlay = { id: "1", image_url: getImageUrl("red"), rotation: 33, opacity: 1, ...place };
    const image = await render(buildSlide({ image_overlays: [overlay] }), SQUARE, { red: buildPlainImage(RED) });
    expectNear(image.at(10, 10), place.width === FAR ? RED : [17, 17, 20], "upper left");
  });

  test("a distant text and a tiny text", async () => {
    const far = buildText("far", { x: FAR, y: -FAR, width: FAR });
    const thin = buildText("thin", { width: 5e-324 });
    const image = await render(buildSlide({ text_elements: [far, thin] }), SQUARE);
    expect(image.find(WHITE).count).toBeGreaterThan(50);
  });
});

describe("failures with a reason", () => {
  test.each([
    ["missing", undefined, /^http:\/\/pictures\.test\/missing: The URL returned HTTP 404\.$/],
    ["empty", new Uint8Array(), /The image is empty\./],
    [
      "page",
      new TextEncoder().encode("<!doctype html><title>no</title>"),
      /must be JPEG, PNG, WebP or GIF, but the file is a web page\./,
    ],
    ["truncated", buildQuartersImage(300, 300).subarray(0, 500), /The image is incomplete/],
  ])("image: %s", async (name, bytes, message) => {
    const rejected = await renderFailing(
      buildSlide({ image_url: getImageUrl(name) }),
      SQUARE,
      bytes ? { [name]: bytes } : {},
    );
    expect(rejected).toEqual({ why: "image", message: expect.stringMatching(message) });
  });

  test("an image at a private address", async () => {
    const rejected = await renderFailing(buildSlide({ image_url: "http://127.0.0.1:9/a.png" }), SQUARE);
    expect(rejected).toEqual({
      why: "image",
      message: "http://127.0.0.1:9/a.png: The address 127.0.0.1 is not public.",
    });
  });

  test("an overlay that cannot be loaded", async () => {
    const overlay = {
      id: "1",
      image_url: getImageUrl("x"),
      x: 50,
      y: 50,
      width: 9,
      height: 9,
      rotation: 0,
      opacity: 1,
    };
    const both = buildSlide({ image_url: getImageUrl("a"), image_overlays: [overlay] });
    const rejected = await renderFailing(both, SQUARE, { a: buildPlainImage(RED) });
    expect(rejected.message).toMatch(/^http:\/\/pictures\.test\/x: /);
  });
});
