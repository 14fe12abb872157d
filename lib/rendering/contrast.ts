// Chooses between dark and light by the luminance of a colour.
import colorString from "color-string";

/** Black and white have the same contrast to a colour of this luminance (WCAG 2.2, contrast ratio). */
const MIDDLE_LUMINANCE = 0.179;

/** A colour that cannot be parsed counts as light; the renderer reports it. */
export function isDarkColor(color: string): boolean {
  const rgb = colorString.get.rgb(color);
  if (!rgb) return false;
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => toLinear(value / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < MIDDLE_LUMINANCE;
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
