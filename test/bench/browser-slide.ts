// A slide as a page of HTML, whose texts the browser breaks, balances and shapes by itself.
import { computeCells } from "../../lib/rendering/collage.ts";
import { toCssFilter } from "../../lib/rendering/filters.ts";
import type { RenderFonts } from "../../lib/rendering/renderer.ts";
import { type RenderSettings, resolveRenderOptions } from "../../lib/rendering/settings.ts";
import { buildTextBlocks, type TextBlock } from "../../lib/rendering/text-blocks.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";

/** `background` is the colour behind the images. */
export function buildSlidePage(
  slide: BareSlide,
  settings: RenderSettings,
  fonts: RenderFonts & { texts: string[] },
  background: string,
): string {
  const options = resolveRenderOptions(settings);
  const { width, height } = options.canvas;
  const blocks = buildTextBlocks(slide, options, { texts: fonts.texts, language: fonts.language as never });
  const { blur, ...filters } = slide.background_filters ?? {};
  return `<!doctype html><html lang="${fonts.language}"><meta charset="utf-8"><style>
${fonts.faces.map(buildFontFace).join("\n")}
* { margin: 0; box-sizing: border-box; }
body { width: ${width}px; height: ${height}px; overflow: hidden; position: relative; background: ${background};
  font: 700 16px ${fonts.families.map((family) => `"${family}"`).join(",")}; }
img { position: absolute; }
.text { position: absolute; transform: translateY(-50%); white-space: pre-line; overflow-wrap: anywhere; }
.text div { text-wrap: balance; unicode-bidi: plaintext; }
</style><body>
<div style="position:absolute;inset:0;filter:${toCssFilter(filters) ?? "none"}">${buildCells(slide, options.canvas)}</div>
${blur ? `<div style="position:absolute;inset:0;backdrop-filter:blur(${blur}px)"></div>` : ""}
${(slide.image_overlays ?? [])
  .map(
    ({ image_url, x, y, width: across, height: down, rotation, opacity }) =>
      `<img src="${image_url}" style="left:${x - across / 2}%;top:${y - down / 2}%;width:${across}%;height:${down}%;object-fit:contain;opacity:${opacity};transform:rotate(${rotation}deg)">`,
  )
  .join("")}
${blocks.map(buildBlock).join("")}
</body></html>`;
}

function buildFontFace({ family, data, ranges }: RenderFonts["faces"][number]): string {
  const hex = (code: number) => code.toString(16);
  const range = ranges.map(([from, to]) => `U+${hex(from)}-${hex(to)}`).join(",");
  const source = `url(data:font/woff2;base64,${Buffer.from(data).toString("base64")})`;
  return `@font-face { font-family: "${family}"; font-weight: 700; src: ${source}; unicode-range: ${range}; }`;
}

function buildCells(slide: BareSlide, canvas: { width: number; height: number }): string {
  const grid = slide.grid_images ?? [];
  const urls = grid.length > 0 ? grid : slide.image_url ? [slide.image_url] : [];
  if (urls.length === 0) return "";
  return computeCells(slide.grid_type ?? "2x2", urls.length, canvas, 8)
    .map(
      ({ left, top, width, height }, at) =>
        `<img src="${urls[at]}" style="left:${left}px;top:${top}px;width:${width}px;height:${height}px;object-fit:cover">`,
    )
    .join("");
}

function buildBlock(block: TextBlock): string {
  const { fontSize, style, align, width, x, y, keepWords } = block;
  const lineHeight = Math.round(fontSize * style.lineHeight);
  // A line of the box is as tall as the line, whatever the font's own height.
  const padding = style.box ? `${(lineHeight - fontSize * 1.2102) / 2}px ${fontSize * 0.36}px` : "0";
  const span = [
    `color:${style.color}`,
    style.shadow ? `text-shadow:${style.shadow}` : "",
    style.outline
      ? `-webkit-text-stroke:${style.outline.width}px ${style.outline.color};paint-order:stroke fill;stroke-linejoin:round`
      : "",
    style.box
      ? `background:${style.box.color};border-radius:${style.box.radius}px;padding:${padding};-webkit-box-decoration-break:clone;box-decoration-break:clone`
      : "",
  ].join(";");
  const place = `left:${x - width / 2}px;top:${y}px;width:${width}px`;
  const text = `font-size:${fontSize}px;line-height:${lineHeight}px;text-align:${align};${keepWords ? "word-break:keep-all" : ""}`;
  const paragraphs = block.paragraphs.map(
    (one) => `<div><span style="${span}">${escapeHtml(one) || "&nbsp;"}</span></div>`,
  );
  return `<div class="text" style="${place};${text}">${paragraphs.join("")}</div>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
