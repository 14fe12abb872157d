// The entries of the composer's form, as a value that the browser can keep.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface Entries {
  fields: Record<string, string | boolean>;
  accounts: string[];
}

const isCheckbox = (field: Field): field is HTMLInputElement => field.type === "checkbox";

const listFields = (form: HTMLFormElement) =>
  [...form.querySelectorAll<Field>(":is(input, textarea, select)[id]")].filter(
    ({ type }) => type !== "file" && type !== "range",
  );

const listBoxes = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLInputElement>("input[name=account]")];

export function readEntries(form: HTMLFormElement): Entries {
  const fields = listFields(form).map((field) => [field.id, isCheckbox(field) ? field.checked : field.value]);
  const accounts = listBoxes(form).flatMap(({ checked, value }) => (checked ? [value] : []));
  return { fields: Object.fromEntries(fields), accounts };
}

export function fillEntries(form: HTMLFormElement, { fields, accounts }: Entries): void {
  for (const field of listFields(form)) {
    const value = fields[field.id];
    if (typeof value === "boolean" && isCheckbox(field)) field.checked = value;
    if (typeof value === "string") field.value = value;
  }
  for (const box of listBoxes(form)) box.checked = accounts.includes(box.value) && !box.disabled;
}
