// What a slide looks like, pixel by pixel: sizes, backgrounds, collages, filters and overlays.
import { describe, expect, test } from "vitest";
import { artistWith, near, slide, text, urlOf } from "./drawn.ts";
import { FONTS } from "./fonts.ts";
import { BLACK, BLUE, type Color, GREEN, picture, plain, quarters, RED, WHITE, YELLOW } from "./images.ts";

const { draw, refusal } = artistWith(FONTS);
const SQUARE = { aspect_ratio: "1:1" };

function expectNear(found: Color, wanted: Color, what: string): void {
  expect(near(found, wanted), `${what}: ${found} instead of ${wanted}`).toBe(true);
}

describe("a slide is 1080 wide and as high as its ratio says", () => {
  test.each([
    [undefined, 1350],
    ["4:5", 1350],
    ["9:16", 1920],
    ["1:1", 1080],
    ["4:1", 270],
    ["1:4", 4320],
    ["7:3", 463],
  ])("%s: %d", async (aspect_ratio, height) => {
    const drawn = await draw(slide(), { aspect_ratio });
    expect([drawn.width, drawn.height]).toEqual([1080, height]);
    expect(drawn.bytes.subarray(0, 3)).toEqual(new Uint8Array([0xff, 0xd8, 0xff]));
  });
});

describe("the background", () => {
  test("covers the slide from its middle, and what does not fit is cut off", async () => {
    // A third of it is cut off on either side.
    const wide = picture(600, 200, (x) => (x < 1 / 3 || x >= 2 / 3 ? YELLOW : x < 0.5 ? RED : BLUE));
    const drawn = await draw(slide({ image_url: urlOf("wide") }), SQUARE, { wide });
    for (const y of [1, 50, 99]) {
      expectNear(drawn.at(1, y), RED, "left");
      expectNear(drawn.at(40, y), RED, "left of the middle");
      expectNear(drawn.at(60, y), BLUE, "right of the middle");
      expectNear(drawn.at(99, y), BLUE, "right");
    }
  });

  test("a title on no background can be read: dark under white letters, white under black ones", async () => {
    const dark = await draw(slide({ text_elements: [text("a", { style_preset: "white" })] }), SQUARE);
    const light = await draw(slide({ text_elements: [text("a", { style_preset: "black" })] }), SQUARE);
    expectNear(dark.at(2, 2), [17, 17, 20], "under white");
    expectNear(light.at(2, 2), WHITE, "under black");
  });
});

describe("a collage", () => {
  const images = { red: plain(RED), green: plain(GREEN), blue: plain(BLUE), yellow: plain(YELLOW) };
  const colors: Record<string, Color> = { red: RED, green: GREEN, blue: BLUE, yellow: YELLOW };
  const grid = (names: string[]) => names.map(urlOf);
  const four = ["red", "green", "blue", "yellow"];

  test.each([
    ["2x2", four, { red: [25, 25], green: [75, 25], blue: [25, 75], yellow: [75, 75] }, [50, 50]],
    ["1+2", four.slice(0, 3), { red: [50, 25], green: [25, 75], blue: [75, 75] }, [50, 75]],
    ["vertical", four, { red: [50, 12], green: [50, 37], blue: [50, 62], yellow: [50, 87] }, [10, 50]],
    ["horizontal", four, { red: [12, 50], green: [37, 50], blue: [62, 50], yellow: [87, 50] }, [50, 10]],
    ["vertical", four.slice(0, 2), { red: [50, 25], green: [50, 75] }, [10, 50]],
    ["2x2", four.slice(0, 3), { red: [25, 25], green: [75, 25], blue: [50, 75] }, [50, 25]],
    ["1+2", four.slice(0, 2), { red: [50, 25], green: [50, 75] }, [10, 50]],
  ] as const)("%s of %j: every picture in its cell, a white gap in between", async (grid_type, names, cells, gap) => {
    const drawn = await draw(slide({ grid_images: grid([...names]), grid_type }), SQUARE, images);
    for (const [name, [x, y]] of Object.entries(cells)) expectNear(drawn.at(x, y), colors[name] ?? BLACK, name);
    expectNear(drawn.at(gap[0], gap[1]), WHITE, "gap");
    for (const name of names) expect(drawn.find(colors[name] ?? BLACK).count, name).toBeGreaterThan(100_000);
  });

  test("takes the place of the background, and a single picture fills it", async () => {
    const one = slide({ image_url: urlOf("blue"), grid_images: grid(["red"]), grid_type: "1+2" });
    const drawn = await draw(one, SQUARE, images);
    expect(drawn.find(RED).count).toBe(1080 * 1080);
  });

  test("a cell is covered too: the sides of a wide picture are cut off", async () => {
    const wide = picture(600, 100, (x) => (x < 0.4 || x >= 0.6 ? YELLOW : RED));
    const pair = slide({ grid_images: grid(["wide", "blue"]), grid_type: "horizontal" });
    const drawn = await draw(pair, SQUARE, { ...images, wide });
    expect(drawn.find(YELLOW).count).toBe(0);
    expect(drawn.find(RED).count).toBeGreaterThan(500_000);
  });
});

describe("filters do what CSS says they do", () => {
  const COLOR: Color = [200, 100, 50];
  const INK = [17, 17, 20];
  const grey = 0.2126 * 200 + 0.7152 * 100 + 0.0722 * 50;
  const mixed = (share: number) => COLOR.map((value, at) => (value ?? 0) * share + (INK[at] ?? 0) * (1 - share));

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
  ])("%j makes %j", async (background_filters, wanted) => {
    const drawn = await draw(slide({ image_url: urlOf("a"), background_filters }), SQUARE, { a: plain(COLOR) });
    for (const [x, y] of [
      [0, 0],
      [50, 50],
      [99.9, 99.9],
    ] as const)
      expectNear(drawn.at(x, y), wanted as unknown as Color, `at ${x}, ${y}`);
  });

  test("blur mixes what lies side by side, and reaches the edges of the slide", async () => {
    const half = picture(200, 200, (x) => (x < 0.5 ? BLACK : WHITE));
    const blurred = (blur: number) =>
      draw(slide({ image_url: urlOf("half"), background_filters: { blur } }), SQUARE, { half });
    const [sharp, soft] = [await blurred(0), await blurred(30)];
    expectNear(sharp.at(47, 50), BLACK, "sharp");
    const [value = 0] = soft.at(47, 50);
    expect(value).toBeGreaterThan(20);
    expect(value).toBeLessThan(110);
    expectNear(soft.at(0, 0), BLACK, "corner");
    expectNear(soft.at(99.9, 50), WHITE, "edge");
  });

  test("a drop shadow falls into the gaps of a collage", async () => {
    const images = { red: plain(RED), blue: plain(BLUE) };
    const pair = { grid_images: [urlOf("red"), urlOf("blue")], grid_type: "vertical" as const };
    const lit = await draw(slide(pair), SQUARE, images);
    const shaded = await draw(slide({ ...pair, background_filters: { drop_shadow: 12 } }), SQUARE, images);
    expectNear(lit.at(50, 50), WHITE, "without");
    expect(shaded.at(50, 50)[0]).toBeLessThan(200);
  });

  test("they are the background's alone: overlays and texts stay as they are", async () => {
    const overlay = { id: "1", image_url: urlOf("red"), x: 50, y: 20, width: 20, height: 20, rotation: 0, opacity: 1 };
    const invert = slide({ image_url: urlOf("blue"), image_overlays: [overlay], background_filters: { invert: 1 } });
    const drawn = await draw(invert, SQUARE, { red: plain(RED), blue: plain(BLUE) });
    expectNear(drawn.at(50, 20), RED, "overlay");
    expectNear(drawn.at(5, 5), [225, 195, 55], "background");
  });
});

describe("overlays", () => {
  const background = { image_url: urlOf("green") };
  const images = { green: plain(GREEN), four: quarters(100, 100), wide: picture(200, 100, () => RED) };
  const overlay = (more: object) => ({
    id: "1",
    image_url: urlOf("four"),
    x: 50,
    y: 50,
    width: 40,
    height: 40,
    rotation: 0,
    opacity: 1,
    ...more,
  });

  test.each([
    [0, [RED, GREEN, BLUE, YELLOW]],
    [90, [BLUE, RED, YELLOW, GREEN]],
    [180, [YELLOW, BLUE, GREEN, RED]],
    [-90, [GREEN, YELLOW, RED, BLUE]],
  ])("turned clockwise by %d degrees about their middle", async (rotation, [a, b, c, d]) => {
    const drawn = await draw(slide({ ...background, image_overlays: [overlay({ rotation })] }), SQUARE, images);
    expectNear(drawn.at(40, 40), a ?? BLACK, "upper left");
    expectNear(drawn.at(60, 40), b ?? BLACK, "upper right");
    expectNear(drawn.at(40, 60), c ?? BLACK, "lower left");
    expectNear(drawn.at(60, 60), d ?? BLACK, "lower right");
    expectNear(drawn.at(28, 50), GREEN, "beside it");
  });

  test("half turned, their corners stand out and their sides come in", async () => {
    const drawn = await draw(slide({ ...background, image_overlays: [overlay({ rotation: 45 })] }), SQUARE, images);
    expectNear(drawn.at(50, 24), RED, "upper corner");
    expectNear(drawn.at(33, 33), GREEN, "where the corner was");
  });

  test("let the background through by their opacity", async () => {
    const thin = overlay({ image_url: urlOf("wide"), opacity: 0.25 });
    const drawn = await draw(slide({ ...background, image_overlays: [thin] }), SQUARE, images);
    expectNear(drawn.at(50, 50), [73, 128, 53], "a quarter of red over green");
  });

  test("are shown whole and undistorted within their box, centred on x and y", async () => {
    const wide = overlay({ image_url: urlOf("wide"), x: 30, y: 70, width: 40, height: 40 });
    const drawn = await draw(slide({ ...background, image_overlays: [wide] }), SQUARE, images);
    const { left, right, top, bottom } = drawn.find(RED);
    expect([left, right, top, bottom].map((edge) => Math.round(edge / 10.8))).toEqual([10, 50, 60, 80]);
  });

  test("lie over each other in their order, and may hang over the edge", async () => {
    const two = [
      overlay({ image_url: urlOf("wide"), x: 0, y: 0, width: 100, height: 100 }),
      overlay({ id: "2", image_url: urlOf("blue"), x: 10, y: 10, width: 10, height: 10 }),
    ];
    const drawn = await draw(slide({ ...background, image_overlays: two }), SQUARE, { ...images, blue: plain(BLUE) });
    expectNear(drawn.at(10, 10), BLUE, "the later one");
    expectNear(drawn.at(1, 1), RED, "the earlier one, cut by the edge");
  });

  test("many large ones are drawn all the same, within the memory there is", async () => {
    const huge = Array.from({ length: 20 }, (_, at) =>
      overlay({ id: String(at), width: 300, height: 300, rotation: at, opacity: 0.5 }),
    );
    const drawn = await draw(slide({ ...background, image_overlays: huge }), SQUARE, images);
    expectNear(drawn.at(25, 25), RED, "upper left");
  });
});

describe("numbers of any size", () => {
  const FAR = 1.7e308;

  test.each([
    ["an overlay that is everywhere", { x: 50, y: 50, width: FAR, height: FAR }],
    ["one that is far away", { x: FAR, y: -FAR, width: 10, height: 10 }],
    ["one that is next to nothing", { x: 50, y: 50, width: 5e-324, height: 5e-324 }],
  ])("%s", async (_what, place) => {
    const overlay = { id: "1", image_url: urlOf("red"), rotation: 33, opacity: 1, ...place };
    const drawn = await draw(slide({ image_overlays: [overlay] }), SQUARE, { red: plain(RED) });
    expectNear(drawn.at(10, 10), place.width === FAR ? RED : [17, 17, 20], "upper left");
  });

  test("a text that is far away or has no room", async () => {
    const far = text("far", { x: FAR, y: -FAR, width: FAR });
    const thin = text("thin", { width: 5e-324 });
    const drawn = await draw(slide({ text_elements: [far, thin] }), SQUARE);
    expect(drawn.find(WHITE).count).toBeGreaterThan(50);
  });
});

describe("what can't be drawn says why", () => {
  test.each([
    ["gone", undefined, /^http:\/\/pictures\.test\/gone: The URL answers with HTTP 404\.$/],
    ["empty", new Uint8Array(), /The image is empty\./],
    ["page", new TextEncoder().encode("<!doctype html><title>no</title>"), /is none of them\. It is a web page\./],
    ["cut", quarters(300, 300).subarray(0, 500), /The image is incomplete/],
  ])("an image that is %s", async (name, bytes, message) => {
    const refused = await refusal(slide({ image_url: urlOf(name) }), SQUARE, bytes ? { [name]: bytes } : {});
    expect(refused).toEqual({ why: "image", message: expect.stringMatching(message) });
  });

  test("an image at a private address", async () => {
    const refused = await refusal(slide({ image_url: "http://127.0.0.1:9/a.png" }), SQUARE);
    expect(refused).toEqual({
      why: "image",
      message: "http://127.0.0.1:9/a.png: The address 127.0.0.1 is not public.",
    });
  });

  test("a bad overlay as well as a bad background", async () => {
    const overlay = { id: "1", image_url: urlOf("x"), x: 50, y: 50, width: 9, height: 9, rotation: 0, opacity: 1 };
    const both = slide({ image_url: urlOf("a"), image_overlays: [overlay] });
    const refused = await refusal(both, SQUARE, { a: plain(RED) });
    expect(refused.message).toMatch(/^http:\/\/pictures\.test\/x: /);
  });
});
