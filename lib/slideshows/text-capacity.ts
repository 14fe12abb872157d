// Computes the number of characters that fit on a slide, for the prompt of the language model.
import { getGeneratedTextSizes } from "../rendering/generated-text-sizes.ts";
import { computeSafeArea } from "../rendering/safe-area.ts";
import { type RenderSettings, resolveRenderOptions } from "../rendering/settings.ts";

export interface TextCapacity {
  heading_characters: number;
  body_characters: number;
}

/** Mean advance of a character with its share of spaces, as a multiple of the font size: measured in the bold fonts of slides. */
const WIDE_SCRIPT = { pattern: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u, em: 0.98 };
const TALL_SCRIPT = {
  pattern:
    /[\p{Script=Tamil}\p{Script=Ethiopic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Myanmar}\p{Script=Sinhala}\p{Script=Telugu}]/u,
  em: 0.72,
};
const OTHER_SCRIPT_EM = 0.58;
const WIDE_LANGUAGES = /^(zh|ja|ko)\b/i;
const TALL_LANGUAGES = /^(ta|am|ti|hy|ka|kn|ml|my|si|te)\b/i;

/** More lines are not read before the viewer swipes on. */
const MAX_LINES = { heading: 3, body: 5 };
/** Lines are filled to this share, because words do not break. */
const FILLED = 0.85;
const LINE_HEIGHT = 1.42;
/** No text needs more, however many fit: characters of a width of 0.58. */
const MAX_CHARACTERS = { heading: 60, body: 200 };

/** `sample` is a text in the language, when no language is requested. */
export function computeTextCapacity(settings: RenderSettings, language: string, sample: string): TextCapacity {
  const options = resolveRenderOptions(settings);
  const area = computeSafeArea(options.canvas);
  const sizes = getGeneratedTextSizes(settings);
  const em = getCharacterWidth(language, sample);
  const width = Math.min(area.width, (options.canvas.width * options.textWidth) / 100);
  const count = (lines: number, size: number, most: number) =>
    Math.max(
      12,
      Math.floor(Math.min(Math.max(1, lines) * (width / (size * em)) * FILLED, (most * OTHER_SCRIPT_EM) / em)),
    );
  const headingLines = Math.min(MAX_LINES.heading, Math.floor((area.height * 0.45) / (sizes.heading * LINE_HEIGHT)));
  const rest = area.height - Math.max(1, headingLines) * sizes.heading * LINE_HEIGHT - sizes.heading * 0.5;
  const bodyLines = Math.min(MAX_LINES.body, Math.floor(rest / (sizes.body * LINE_HEIGHT)));
  return {
    heading_characters: count(headingLines, sizes.heading, MAX_CHARACTERS.heading),
    body_characters: count(bodyLines, sizes.body, MAX_CHARACTERS.body),
  };
}

function getCharacterWidth(language: string, sample: string): number {
  const requested = !language.startsWith("same_as_");
  if (requested ? WIDE_LANGUAGES.test(language) : WIDE_SCRIPT.pattern.test(sample)) return WIDE_SCRIPT.em;
  if (requested ? TALL_LANGUAGES.test(language) : TALL_SCRIPT.pattern.test(sample)) return TALL_SCRIPT.em;
  return OTHER_SCRIPT_EM;
}
