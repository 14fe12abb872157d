// The scenes as JPEG, which every network takes.
import { Renderer } from "@takumi-rs/core";
import { SCENE, SCENES } from "./scenes.ts";

const QUALITY = 82;

export async function renderPictures(): Promise<Map<string, Uint8Array>> {
  const renderer = new Renderer();
  const pictures = Object.entries(SCENES).map(async ([name, buildScene]) => {
    const images = [{ src: name, data: Buffer.from(buildScene()) }];
    const node = { type: "image" as const, src: name, style: SCENE };
    const bytes = await renderer.render(node, { ...SCENE, format: "jpeg", quality: QUALITY, images });
    return [name, new Uint8Array(bytes)] as const;
  });
  return new Map(await Promise.all(pictures));
}
