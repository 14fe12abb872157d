// The choices of slideshows in the words of the people who make them, for the pages and their scripts.
import type { BackgroundFilters, TextElement } from "../../../../lib/schemas/slide.ts";

type Choices<Value extends string = string> = readonly (readonly [value: Value, text: string])[];

export const TEXT_LOOKS: Choices<NonNullable<TextElement["style_preset"]>> = [
  ["tiktok", "White with a black outline"],
  ["inverted", "Black on a white box"],
  ["shadow", "White with a shadow"],
  ["white", "White"],
  ["black", "Black"],
];
export const ALIGNMENTS: Choices<NonNullable<TextElement["text_align"]>> = [
  ["left", "Left"],
  ["center", "Centre"],
  ["right", "Right"],
];
export const SHAPES: Choices = [
  ["4:5", "4:5, portrait (most feeds)"],
  ["9:16", "9:16, full screen of a phone"],
  ["1:1", "1:1, square"],
  ["3:4", "3:4, portrait"],
  ["16:9", "16:9, landscape"],
];
export const TEXT_SIZES: Choices = [
  ["default", "Large"],
  ["small", "Small"],
];
export const TONES: Choices<"educational" | "personal"> = [
  ["educational", "It teaches something"],
  ["personal", "It tells a story of my own"],
];
export const LANGUAGE_CHOICES: Choices = [
  ["same_as_prompt", "The language of the idea"],
  ["en", "English"],
  ["ar", "Arabic"],
  ["zh-Hans", "Chinese, simplified"],
  ["zh-Hant", "Chinese, traditional"],
  ["da", "Danish"],
  ["nl", "Dutch"],
  ["fi", "Finnish"],
  ["fr", "French"],
  ["de", "German"],
  ["el", "Greek"],
  ["hi", "Hindi"],
  ["id", "Indonesian"],
  ["it", "Italian"],
  ["ja", "Japanese"],
  ["ko", "Korean"],
  ["nb", "Norwegian"],
  ["pl", "Polish"],
  ["pt", "Portuguese"],
  ["pt-BR", "Portuguese, Brazil"],
  ["ro", "Romanian"],
  ["es", "Spanish"],
  ["sv", "Swedish"],
  ["th", "Thai"],
  ["tr", "Turkish"],
  ["uk", "Ukrainian"],
  ["vi", "Vietnamese"],
];

interface FilterChoice {
  name: keyof BackgroundFilters;
  label: string;
  least: number;
  most: number;
  step: number;
  neutral: number;
}

export const FILTERS: readonly FilterChoice[] = [
  { name: "brightness", label: "Brightness", least: 0, most: 2, step: 0.05, neutral: 1 },
  { name: "contrast", label: "Contrast", least: 0, most: 2, step: 0.05, neutral: 1 },
  { name: "saturation", label: "Colour", least: 0, most: 2, step: 0.05, neutral: 1 },
  { name: "blur", label: "Blur", least: 0, most: 40, step: 1, neutral: 0 },
  { name: "grayscale", label: "Black and white", least: 0, most: 1, step: 0.05, neutral: 0 },
  { name: "sepia", label: "Sepia", least: 0, most: 1, step: 0.05, neutral: 0 },
  { name: "hue", label: "Hue", least: -180, most: 180, step: 5, neutral: 0 },
  { name: "opacity", label: "Opacity", least: 0, most: 1, step: 0.05, neutral: 1 },
];

export const MIN_TEXT_SIZE = 8;
export const MAX_TEXT_SIZE = 200;

/** Sentences for errors of the API whose own message speaks to programs. */
const SENTENCES: Partial<Record<string, (message: string) => string>> = {
  generation_failed: () => "The texts could not be written this time. Try again, or describe the idea in other words.",
  provider_unavailable: () =>
    "This service cannot write texts at the moment. Try again in a minute; or start from a template or from pictures and write the texts yourself.",
  image_unreachable: (message) => {
    const [, slide] = /slide (\d+)/.exec(message) ?? [];
    return slide
      ? `The picture of slide ${slide} could not be loaded. Choose another picture for this slide, then try again.`
      : "This picture could not be loaded. Check that its address opens in a browser, or upload it.";
  },
  invalid_image: () => "This is no picture that slides can use: take a JPEG, PNG, WebP or GIF of at most 20 MB.",
  no_slides: () => "There is no slide yet. Add one first.",
  slideshow_changed: () => "The slideshow was changed in the meantime. Look at it again, then try once more.",
  slideshow_not_draft: () => "Only slides that were written from an idea can be written again.",
  pack_not_found: () => "The pack is no longer there. Choose another one.",
  product_not_found: () => "The product is no longer there. Choose another one.",
  not_found: () => "It is no longer there. Somebody may have deleted it.",
  template_not_found: () => "The template is no longer there. Choose another one.",
  template_name_conflict: () => "Another template has this name. Choose another name.",
  forbidden_pack: () => "This pack belongs to somebody else: you can use its pictures, but not change them.",
  forbidden_template: () => "This template belongs to somebody else: you can use it, but not change it.",
};

export function describeError({ code, message }: { code?: string; message: string }): string {
  return SENTENCES[code ?? ""]?.(message) ?? message;
}
