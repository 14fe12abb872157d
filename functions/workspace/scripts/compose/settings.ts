// The fields of the networks' settings, by the name that each has in the API: `data-setting="youtube.title"`.
import type { FieldKind } from "../../compose/network-fields.ts";

type Settings = Record<string, Record<string, unknown>>;
type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function createSettings(form: HTMLFormElement, stored: Settings) {
  const fields = [...form.querySelectorAll<Field>("[data-setting]")];
  /** What each field shows of the stored settings. */
  const shown = new Map<Field, unknown>();
  const names = fields.map(({ dataset }) => (dataset.setting ?? "").split(".") as [string, string]);

  /** The settings of a provider; fields that the page does not have keep what was stored. */
  function read(provider: string): Record<string, unknown> {
    const settings = { ...stored[provider] };
    for (const [at, field] of fields.entries()) {
      const [of, name] = names[at] as [string, string];
      if (of !== provider) continue;
      // An unchanged field may show less than what is stored.
      if (isOffered(field) && shown.has(field) && shown.get(field) === readState(field)) continue;
      const value = isOffered(field) ? readField(field) : undefined;
      if (value === undefined) delete settings[name];
      else settings[name] = value;
    }
    return settings;
  }

  function restore(): void {
    for (const [at, field] of fields.entries()) {
      const [provider, name] = names[at] as [string, string];
      const value = stored[provider]?.[name];
      if (value === undefined) continue;
      fillField(field, value);
      shown.set(field, readState(field));
    }
  }

  return { read, restore };
}

/** A field for videos is not sent with images. */
const isOffered = (field: Field) => !field.closest<HTMLElement>("[data-media]")?.hidden;

const readState = (field: Field) =>
  field instanceof HTMLInputElement && field.type === "checkbox" ? field.checked : field.value;

function readField(field: Field): unknown {
  const kind = field.dataset.kind as FieldKind;
  if (field instanceof HTMLInputElement && field.type === "checkbox") {
    if (kind === "answer") return field.checked ? "yes" : "no";
    return field.checked === (field.dataset.start === "on") ? undefined : field.checked;
  }
  const text = field.value.trim();
  if (text === "") return undefined;
  if (kind === "picture") return { path: text };
  if (kind === "ids") return listIds(text);
  if (kind === "labels") return text.split(",").flatMap(toLabel);
  return text;
}

export function listIds(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function toLabel(text: string): { value: string; label: string }[] {
  const label = text.trim().replace(/^[@#]/, "");
  return label === "" ? [] : [{ value: label, label }];
}

function fillField(field: Field, value: unknown): void {
  if (field instanceof HTMLInputElement && field.type === "checkbox") {
    field.checked = value === true || value === "yes";
  } else if (Array.isArray(value)) {
    field.value = value
      .map((one: string | { label: string }) => (typeof one === "string" ? one : one.label))
      .join(", ");
  } else if (typeof value === "object" && value !== null) {
    field.value = String((value as { path?: string }).path ?? "");
  } else {
    field.value = String(value);
  }
}
