// Offers boards, their sections and playlists by their names, as the network lists them for the first chosen account. The field with the ids
// stays what is read and saved; it is shown where the network has not answered.
import type { Call, Data } from "../shared/api.ts";
import { createElement } from "../shared/element.ts";
import type { Accounts } from "./accounts.ts";
import { listIds } from "./settings.ts";

type Options = Data<"GET /accounts/{accountId}/options">["options"];
type Choices = { id: string; name: string }[];

export function createChoices(form: HTMLFormElement, call: Call, { listChosen }: Accounts) {
  const fields = [...form.querySelectorAll<HTMLInputElement>("input[data-choices]")];
  const selects = new Map<HTMLInputElement, HTMLSelectElement>();
  /** The account, and the board, that each field shows, or has asked about. */
  const shown = new Map<HTMLInputElement, string>();
  const answers = new Map<string, Promise<Options | null>>();

  function ask(accountId: string, boardId: string): Promise<Options | null> {
    const key = `${accountId} ${boardId}`;
    const known = answers.get(key);
    if (known) return known;
    const query = boardId ? { query: { board_id: boardId } } : {};
    const asked = call("GET /accounts/{accountId}/options", { params: { accountId }, ...query })
      .then(({ options }) => options)
      .catch(() => null);
    answers.set(key, asked);
    return asked;
  }

  async function offer(field: HTMLInputElement, accountId: string, boardId: string): Promise<void> {
    const options = field.dataset.of && !boardId ? null : await ask(accountId, boardId);
    if (shown.get(field) !== `${accountId} ${boardId}`) return;
    const choices = options?.[field.dataset.choices as "boards" | "board_sections" | "playlists"] ?? [];
    if (choices.length > 0) showSelect(field, choices);
    else showField(field);
    if (field.dataset.of) (field.parentElement as HTMLElement).hidden = choices.length === 0 && field.value === "";
  }

  /** Empty for a field that depends on no board. */
  function readBoard({ dataset }: HTMLInputElement): string {
    return (dataset.of && form.querySelector<HTMLInputElement>(`#${dataset.of}`)?.value.trim()) || "";
  }

  function showSelect(field: HTMLInputElement, choices: Choices): void {
    const select = selects.get(field) ?? createSelect(field);
    const known = choices.map(({ id, name }) => createElement("option", { value: id }, name));
    // An id that the network does not list, such as that of another account, stays chosen until a person changes it.
    const others = listIds(field.value).filter((id) => !choices.some((choice) => choice.id === id));
    const first = select.multiple ? [] : [createElement("option", { value: "" }, "Choose one")];
    select.replaceChildren(...first, ...known, ...others.map((id) => createElement("option", { value: id }, id)));
    const chosen = listIds(field.value);
    for (const option of select.options) option.selected = chosen.includes(option.value);
    toggle(field, select, true);
  }

  function showField(field: HTMLInputElement): void {
    const select = selects.get(field);
    if (select) toggle(field, select, false);
  }

  function toggle(field: HTMLInputElement, select: HTMLSelectElement, hasChoices: boolean): void {
    select.hidden = !hasChoices;
    field.hidden = hasChoices;
    const label = form.querySelector<HTMLLabelElement>(`label[for="${field.id}"], label[for="${select.id}"]`);
    if (label) label.htmlFor = hasChoices ? select.id : field.id;
  }

  function createSelect(field: HTMLInputElement): HTMLSelectElement {
    const select = createElement("select", { id: `${field.id}-choice`, multiple: field.dataset.kind === "ids" });
    select.addEventListener("change", () => {
      field.value = [...select.selectedOptions].map(({ value }) => value).join(", ");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    field.after(select);
    selects.set(field, select);
    return select;
  }

  /** After the chosen accounts have changed. */
  return function show(): void {
    const chosen = listChosen().filter((box) => box.dataset.type === "byo");
    for (const field of fields) {
      const platform = field.closest<HTMLElement>("[data-for]")?.dataset.for;
      const account = chosen.find((box) => box.dataset.platform === platform)?.value;
      const board = readBoard(field);
      const before = shown.get(field);
      if (!account || before === `${account} ${board}`) continue;
      // A section is one of its board.
      if (field.dataset.of && before?.startsWith(account)) field.value = "";
      shown.set(field, `${account} ${board}`);
      void offer(field, account, board);
    }
  };
}
