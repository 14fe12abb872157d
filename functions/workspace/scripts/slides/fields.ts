// The fields beside the slide follow what is chosen, and change it while somebody types or moves a slider.
import { resolveRenderOptions } from "../../../../lib/rendering/settings.ts";
import type { BareSlide, TextElement } from "../../../../lib/schemas/slide.ts";
import { createFinder } from "../shared/element.ts";
import { FILTERS, MAX_TEXT_SIZE, MIN_TEXT_SIZE } from "../shared/slideshow-words.ts";
import type { Selection } from "./selection.ts";
import type { Store } from "./store.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface FieldsOptions {
  root: HTMLElement;
  store: Store;
  selection: Selection;
  removeText(at: number): void;
}

export function createFields({ root, store, selection, removeText }: FieldsOptions) {
  const find = createFinder(root, "#");
  const text = find<HTMLFormElement>("text-fields");
  const picture = find<HTMLFormElement>("picture-fields");
  const whole = find<HTMLFormElement>("show-fields");

  /** The field in which somebody types is left alone. */
  function set(form: HTMLFormElement, name: string, value: string): void {
    const field = form.elements.namedItem(name) as Field | null;
    if (field && field !== document.activeElement && field.value !== value) field.value = value;
  }

  function show(): void {
    const { title, settings, product_id, slideshow_type } = store.get();
    const options = resolveRenderOptions(settings);
    const chosen = selection.getText();
    text.hidden = !chosen;
    find("no-text").hidden = chosen !== undefined;
    if (chosen) {
      const size = selection.textAt() === 0 ? options.fontSizes.title : options.fontSizes.body;
      set(text, "content", chosen.content);
      set(text, "font_size", String(chosen.font_size ?? size));
      set(text, "style_preset", chosen.style_preset ?? "");
      set(text, "text_align", chosen.text_align ?? "center");
      set(text, "width", String(Math.round(chosen.width ?? options.textWidth)));
      set(text, "x", String(Math.round(chosen.x * 10) / 10));
      set(text, "y", String(Math.round(chosen.y * 10) / 10));
    }
    const slide = selection.getSlide();
    for (const { name, neutral } of FILTERS) set(picture, name, String(slide?.background_filters?.[name] ?? neutral));
    const { text_preset = "tiktok", font_size = "default", text_width = "default" } = settings.advanced_settings;
    set(whole, "title", title);
    set(whole, "aspect_ratio", settings.aspect_ratio);
    set(whole, "text_preset", text_preset);
    set(whole, "font_size", String(font_size));
    set(whole, "text_width", text_width);
    set(whole, "slideshow_type", slideshow_type);
    set(whole, "product_id", product_id ?? "");
  }

  text.addEventListener("input", ({ target }) => {
    const at = selection.textAt();
    if (at === null) return;
    const { name, value } = target as Field;
    const change = readTextField(name, value);
    if (change) selection.changeText(at, change, name);
  });
  find("remove-text").addEventListener("click", () => removeText(selection.textAt() ?? 0));

  picture.addEventListener("input", ({ target }) => {
    const { name, value } = target as Field;
    selection.changeSlide((slide) => setFilter(slide, name, Number(value)), name);
  });
  find("reset-filters").addEventListener("click", () =>
    selection.changeSlide(({ background_filters: _, ...slide }) => slide),
  );
  find("remove-picture").addEventListener("click", () =>
    selection.changeSlide(({ grid_images: _, grid_type: __, ...slide }) => ({ ...slide, image_url: null })),
  );

  whole.addEventListener("input", ({ target }) => {
    const { name, value } = target as Field;
    const { settings } = store.get();
    const { advanced_settings } = settings;
    if (name === "title") store.change({ title: value }, name);
    else if (name === "product_id") store.change({ product_id: value || null });
    else if (name === "slideshow_type")
      store.change({ slideshow_type: value === "personal" ? "personal" : "educational" });
    else if (name === "aspect_ratio") store.change({ settings: { ...settings, aspect_ratio: value } });
    else {
      const read = name === "font_size" && Number(value) > 0 ? Number(value) : value;
      store.change({ settings: { ...settings, advanced_settings: { ...advanced_settings, [name]: read } } });
    }
  });
  for (const form of [text, picture, whole]) form.addEventListener("submit", (event) => event.preventDefault());

  return { show };
}

/** Null for a number that is not complete or out of its range: the field shows that itself. */
function readTextField(
  name: string,
  value: string,
): { [Name in keyof TextElement]?: TextElement[Name] | undefined } | null {
  if (name === "content") return { content: value };
  if (name === "style_preset") return { style_preset: (value || undefined) as TextElement["style_preset"] };
  if (name === "text_align") return { text_align: value as NonNullable<TextElement["text_align"]> };
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return null;
  if (name === "font_size") return number >= MIN_TEXT_SIZE && number <= MAX_TEXT_SIZE ? { font_size: number } : null;
  if (name === "width") return number > 0 && number <= 200 ? { width: number } : null;
  return name === "x" || name === "y" ? { [name]: number } : null;
}

/** A neutral filter is left out. */
function setFilter(slide: BareSlide, name: string, amount: number): BareSlide {
  const filter = FILTERS.find((one) => one.name === name);
  if (!filter) return slide;
  const { background_filters, ...rest } = slide;
  const { [filter.name]: _, ...others } = background_filters ?? {};
  const filters = amount === filter.neutral ? others : { ...others, [filter.name]: amount };
  return Object.keys(filters).length > 0 ? { ...rest, background_filters: filters } : rest;
}
