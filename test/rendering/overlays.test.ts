// The pixels of overlays: rotation, opacity, place, order and edges.
import { describe, expect, test } from "vitest";
import { expectNear } from "./expect-near.ts";
import { FONTS } from "./fonts.ts";
import { BLACK, BLUE, buildImage, buildPlainImage, buildQuartersImage, GREEN, RED, YELLOW } from "./test-images.ts";
import { buildSlide, createTestRenderer, getImageUrl } from "./test-renderer.ts";

const { render } = createTestRenderer(FONTS);
const SQUARE = { aspect_ratio: "1:1" };

describe("overlays", () => {
  const background = { image_url: getImageUrl("green") };
  const images = {
    green: buildPlainImage(GREEN),
    four: buildQuartersImage(100, 100),
    wide: buildImage(200, 100, () => RED),
  };
  const overlay = (more: object) => ({
    id: "1",
    image_url: getImageUrl("four"),
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
  ])("are rotated clockwise by %d degrees around their centre", async (rotation, [a, b, c, d]) => {
    const image = await render(buildSlide({ ...background, image_overlays: [overlay({ rotation })] }), SQUARE, images);
    expectNear(image.at(40, 40), a ?? BLACK, "upper left");
    expectNear(image.at(60, 40), b ?? BLACK, "upper right");
    expectNear(image.at(40, 60), c ?? BLACK, "lower left");
    expectNear(image.at(60, 60), d ?? BLACK, "lower right");
    expectNear(image.at(28, 50), GREEN, "next to it");
  });

  test("are not clipped by a rotation of 45 degrees", async () => {
    const image = await render(
      buildSlide({ ...background, image_overlays: [overlay({ rotation: 45 })] }),
      SQUARE,
      images,
    );
    expectNear(image.at(50, 24), RED, "upper corner");
    expectNear(image.at(33, 33), GREEN, "where the corner was");
  });

  test("are blended by their opacity", async () => {
    const thin = overlay({ image_url: getImageUrl("wide"), opacity: 0.25 });
    const image = await render(buildSlide({ ...background, image_overlays: [thin] }), SQUARE, images);
    expectNear(image.at(50, 50), [73, 128, 53], "a quarter of red over green");
  });

  test("fit into their box undistorted, centred on x and y", async () => {
    const wide = overlay({ image_url: getImageUrl("wide"), x: 30, y: 70, width: 40, height: 40 });
    const image = await render(buildSlide({ ...background, image_overlays: [wide] }), SQUARE, images);
    const { left, right, top, bottom } = image.find(RED);
    expect([left, right, top, bottom].map((edge) => Math.round(edge / 10.8))).toEqual([10, 50, 60, 80]);
  });

  test("are stacked in order, and may overlap the edge", async () => {
    const two = [
      overlay({ image_url: getImageUrl("wide"), x: 0, y: 0, width: 100, height: 100 }),
      overlay({ id: "2", image_url: getImageUrl("blue"), x: 10, y: 10, width: 10, height: 10 }),
    ];
    const image = await render(buildSlide({ ...background, image_overlays: two }), SQUARE, {
      ...images,
      blue: buildPlainImage(BLUE),
    });
    expectNear(image.at(10, 10), BLUE, "the later one");
    expectNear(image.at(1, 1), RED, "the earlier one, clipped by the edge");
  });

  test("are rendered within bounded memory when there are many large ones", async () => {
    const huge = Array.from({ length: 20 }, (_, at) =>
      overlay({ id: String(at), width: 300, height: 300, rotation: at, opacity: 0.5 }),
    );
    const image = await render(buildSlide({ ...background, image_overlays: huge }), SQUARE, images);
    expectNear(image.at(25, 25), RED, "upper left");
  });
});
