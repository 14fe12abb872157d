// The scenes as JPEG, which every network takes.
import { Renderer } from "@takumi-rs/core";
import { SCENES } from "./scenes.ts";

const QUALITY = 82;
/** Of the shape of the scenes, and of a slide. Each pixel is decoded several times before the stack is ready. */
const SIZE = { width: 864, height: 1080 };

export async function renderPictures(): Promise<Map<string, Uint8Array>> {
  const renderer = new Renderer();
  const pictures = Object.entries(SCENES).map(async ([name, buildScene]) => {
    const images = [{ src: name, data: Buffer.from(buildScene()) }];
    const node = { type: "image" as const, src: name, style: SIZE };
    const bytes = await renderer.render(node, { ...SIZE, format: "jpeg", quality: QUALITY, images });
    return [name, new Uint8Array(bytes)] as const;
  });
  return new Map(await Promise.all(pictures));
}
