// The form that describes an idea, from which the texts of a slideshow are written.
import type { FC } from "hono/jsx";
import { v7 as newId } from "uuid";
import { listPacks } from "../../../lib/queries/packs.ts";
import { listProducts } from "../../../lib/queries/products.ts";
import { Select } from "../forms.tsx";
import type { PageContext } from "../page.ts";
import { LANGUAGE_CHOICES, SHAPES, TEXT_LOOKS, TEXT_SIZES, TONES } from "../scripts/shared/slideshow-words.ts";
import type { Entries } from "./read-entries.ts";

const MAX_PROMPT = 2_000;
const MAX_PACKS = 100;
const MAX_GENERATED = 10;

type Named = { id: string; name: string };

/** The packs and products of a new slideshow. */
export interface Ingredients {
  packs: (Named & { imageCount: number })[];
  products: Named[];
}

export async function loadIngredients(c: PageContext): Promise<Ingredients> {
  const { services, workspace } = c.var;
  const { scope } = workspace.actor;
  const filter = { includePublic: true, limit: MAX_PACKS, offset: 0 };
  const [packs, products] = await Promise.all([
    listPacks(services.db, scope, filter),
    listProducts(services.db, scope),
  ]);
  return { packs: packs.rows.filter(({ imageCount }) => imageCount > 0), products };
}

interface FormProps {
  base: string;
  entries: Entries;
  ingredients: Ingredients;
}

export const IdeaForm: FC<FormProps> = ({ base, entries, ingredients: { packs, products } }) => (
  <form method="post" action={`${base}/slideshows/new`} class="stack wide idea" id="idea-form">
    <input type="hidden" name="key" value={newId()} />
    <label for="prompt">What is it about?</label>
    <textarea
      id="prompt"
      name="prompt"
      rows={3}
      maxlength={MAX_PROMPT}
      required={products.length === 0}
      aria-describedby="prompt-hint"
      placeholder="Five habits that make a small flat feel larger"
    >
      {entries.prompt ?? ""}
    </textarea>
    <p class="hint" id="prompt-hint">
      Say who it is for and what they should do at the end. The slides are written in a few seconds, and everything can
      be changed afterwards.
    </p>
    <div class="field-grid">
      <Select
        name="slide_count"
        label="Slides"
        value={entries.slide_count ?? "5"}
        options={Array.from({ length: MAX_GENERATED }, (_, at) => [String(at + 1), String(at + 1)] as const)}
      />
      <Select
        name="language"
        label="Language"
        value={entries.language ?? "same_as_prompt"}
        options={LANGUAGE_CHOICES}
      />
      <Select name="aspect_ratio" label="Shape" value={entries.aspect_ratio ?? "4:5"} options={SHAPES} />
      <Select
        name="pack_id"
        label="Pictures"
        value={entries.pack_id ?? ""}
        options={[
          ["", "None, a plain background"],
          ...packs.map(({ id, name, imageCount }) => [id, `${name} (${imageCount})`] as const),
        ]}
      />
    </div>
    <details class="more">
      <summary>Text style, tone{products.length > 0 ? " and product" : ""}</summary>
      <div class="field-grid">
        <Select name="text_preset" label="Text style" value={entries.text_preset ?? "tiktok"} options={TEXT_LOOKS} />
        <Select name="font_size" label="Text size" value={entries.font_size ?? "default"} options={TEXT_SIZES} />
        <Select name="slideshow_type" label="Tone" value={entries.slideshow_type ?? "educational"} options={TONES} />
        {products.length > 0 && (
          <Select
            name="product_id"
            label="Product"
            value={entries.product_id ?? ""}
            options={[["", "None"], ...products.map(({ id, name }) => [id, name] as const)]}
          />
        )}
      </div>
    </details>
    <p id="idea-problem" class="problem" role="alert" />
    <button class="primary" type="submit">
      Write the slides
    </button>
  </form>
);

/** The body of the operation that generates a slideshow. */
export function toGenerateBody(entries: Entries) {
  const { prompt, slide_count, language, aspect_ratio, pack_id, text_preset, font_size, slideshow_type } = entries;
  return {
    ...(prompt ? { prompt } : {}),
    ...(slide_count ? { slide_count: Number(slide_count) } : {}),
    ...(language ? { language } : {}),
    ...(aspect_ratio ? { aspect_ratio } : {}),
    ...(pack_id ? { pack_id } : {}),
    ...(slideshow_type ? { slideshow_type } : {}),
    ...(entries.product_id ? { product_id: entries.product_id } : {}),
    advanced_settings: { ...(text_preset ? { text_preset } : {}), ...(font_size ? { font_size } : {}) },
  };
}
