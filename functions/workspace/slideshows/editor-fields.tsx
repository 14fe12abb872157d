// The fields beside a slide: of the chosen text, of the picture, of writing it again, and of the whole slideshow.
import type { FC } from "hono/jsx";
import { Select } from "../forms.tsx";
import {
  ALIGNMENTS,
  FILTERS,
  MAX_TEXT_SIZE,
  MIN_TEXT_SIZE,
  SHAPES,
  TEXT_LOOKS,
  TEXT_SIZES,
  TONES,
} from "../scripts/shared/slideshow-words.ts";
import type { ShownSlideshow } from "./shown-slideshow.ts";

const MAX_CONTENT = 2_000;
const MAX_TITLE = 255;
const MAX_INSTRUCTION = 500;

interface FieldsProps {
  slideshow: ShownSlideshow;
  products: { id: string; name: string }[];
}

/** The script binds the fields by their names. */
export const SlideFields: FC<FieldsProps> = ({ slideshow, products }) => (
  <section class="slide-fields" aria-label="Fields">
    <TextFields />
    <details class="card">
      <summary>Picture</summary>
      <form id="picture-fields" class="stack wide">
        <p class="row">
          <button type="button" id="remove-picture">
            Take the picture away
          </button>
          <button type="button" id="reset-filters">
            Undo all filters
          </button>
        </p>
        {FILTERS.map(({ name, label, least, most, step, neutral }) => (
          <label class="slider">
            <span>{label}</span>
            <input type="range" name={name} min={least} max={most} step={step} value={neutral} />
          </label>
        ))}
      </form>
    </details>
    <RewriteFields slideshow={slideshow} />
    <ShowFields slideshow={slideshow} products={products} />
  </section>
);

const TextFields: FC = () => (
  <details class="card" open>
    <summary>Text</summary>
    <p id="no-text" class="hint">
      Choose a text on the slide to change it.
    </p>
    <form id="text-fields" class="stack wide" hidden>
      <label for="text-content">Words</label>
      <textarea id="text-content" name="content" rows={3} maxlength={MAX_CONTENT} />
      <div class="field-grid">
        <label class="field">
          <span>Size</span>
          <input type="number" name="font_size" min={MIN_TEXT_SIZE} max={MAX_TEXT_SIZE} inputmode="numeric" />
        </label>
        <Select
          name="style_preset"
          label="Style"
          value=""
          options={[["", "As the slideshow"], ...TEXT_LOOKS.map(([value, text]) => [value, text] as const)]}
        />
        <Select name="text_align" label="Alignment" value="center" options={ALIGNMENTS} />
        <label class="field">
          <span>Width, in percent</span>
          <input type="number" name="width" min={5} max={100} step="any" inputmode="decimal" />
        </label>
        <label class="field">
          <span>From the left, in percent</span>
          <input type="number" name="x" min={-50} max={150} step="any" inputmode="decimal" />
        </label>
        <label class="field">
          <span>From the top, in percent</span>
          <input type="number" name="y" min={-50} max={150} step="any" inputmode="decimal" />
        </label>
      </div>
      <button type="button" id="remove-text" class="danger">
        Take the text away
      </button>
    </form>
  </details>
);

const RewriteFields: FC<{ slideshow: ShownSlideshow }> = ({ slideshow: { original_prompt } }) => (
  <details class="card">
    <summary>Write this slide again</summary>
    {original_prompt === null ? (
      <p class="hint">
        Only slides that were written from an idea can be written again, and this slideshow was made without one. Change
        the words on the slide.
      </p>
    ) : (
      <form id="rewrite" class="stack wide">
        <p class="hint">The idea was: {original_prompt}</p>
        <label for="instruction">What should be different? (optional)</label>
        <textarea
          id="instruction"
          name="instruction"
          rows={2}
          maxlength={MAX_INSTRUCTION}
          placeholder="Shorter, and as a question"
        />
        <button type="submit">Write it again</button>
        <p id="rewrite-state" class="hint" role="status" />
      </form>
    )}
  </details>
);

const ShowFields: FC<FieldsProps> = ({ slideshow, products }) => {
  const { title, settings, slideshow_type, product_id } = slideshow;
  const { aspect_ratio, advanced_settings } = settings;
  const shapes = SHAPES.some(([shape]) => shape === aspect_ratio) ? SHAPES : [[aspect_ratio, aspect_ratio], ...SHAPES];
  const { text_preset = "tiktok", font_size = "default", text_width = "default" } = advanced_settings;
  const sizes =
    typeof font_size === "number" ? [[String(font_size), `${font_size} pixels`] as const, ...TEXT_SIZES] : TEXT_SIZES;
  return (
    <details class="card">
      <summary>The whole slideshow</summary>
      <form id="show-fields" class="stack wide">
        <label for="title">Title</label>
        <input id="title" name="title" value={title} maxlength={MAX_TITLE} required />
        <div class="field-grid">
          <Select name="aspect_ratio" label="Shape" value={aspect_ratio} options={shapes as typeof SHAPES} />
          <Select name="text_preset" label="Text style" value={text_preset} options={TEXT_LOOKS} />
          <Select name="font_size" label="Text size" value={String(font_size)} options={sizes} />
          <Select
            name="text_width"
            label="Text width"
            value={text_width}
            options={[
              ["narrow", "Narrow"],
              ["default", "Normal"],
              ["wide", "Wide"],
            ]}
          />
          <Select name="slideshow_type" label="Tone" value={slideshow_type} options={TONES} />
          {products.length > 0 && (
            <Select
              name="product_id"
              label="Product"
              value={product_id ?? ""}
              options={[["", "None"], ...products.map(({ id, name }) => [id, name] as const)]}
            />
          )}
        </div>
      </form>
    </details>
  );
};
