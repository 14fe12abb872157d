// Pieces of forms and lists that several pages have.
import type { Child, FC } from "hono/jsx";

interface ActionFormProps {
  action: string;
  /** The browser asks it before it sends the form. */
  question?: string;
  /** The sentence beside "Undo": with the script nobody is asked, and the form is sent when the offer has ended. */
  undo?: string;
  buttonClass?: string;
  children: Child;
}

/** A form of one button. */
export const ActionForm: FC<ActionFormProps> = ({ action, question, undo, buttonClass, children }) => (
  <form method="post" action={action} data-confirm={question} data-undo={undo}>
    <button type="submit" class={buttonClass}>
      {children}
    </button>
  </form>
);

interface ChoiceProps {
  name: string;
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, text: string])[];
}

const Options: FC<Pick<ChoiceProps, "options" | "value">> = ({ options, value }) => (
  <>
    {options.map(([key, text]) => (
      <option value={key} selected={key === value}>
        {text}
      </option>
    ))}
  </>
);

/** One of the options, or all unless one is required. */
export const Choice: FC<ChoiceProps & { isRequired?: boolean }> = ({ name, label, value, options, isRequired }) => (
  <label>
    {label}
    <select name={name}>
      {!isRequired && <option value="">All</option>}
      <Options options={options} value={value} />
    </select>
  </label>
);

/** One of the options, which is always chosen. */
export const Select: FC<ChoiceProps> = ({ name, label, value, options }) => (
  <label class="field">
    <span>{label}</span>
    <select name={name}>
      <Options options={options} value={value} />
    </select>
  </label>
);

interface FilterFoldProps {
  /** Number of fields that have a value. */
  set: number;
  children: Child;
}

/** The fields of a filter. On a phone they are behind one line, so that what is filtered stays on the screen. */
export const FilterFold: FC<FilterFoldProps> = ({ set, children }) => (
  <details class="filter-fold">
    <summary>Filters{set > 0 && ` (${set})`}</summary>
    <div>{children}</div>
  </details>
);

export const countSet = (...values: unknown[]): number => values.filter(Boolean).length;

/** The link to the next page of a list. */
export const Pager: FC<{ query: Record<string, string> | URLSearchParams; children: Child }> = ({
  query,
  children,
}) => (
  <p class="pager">
    <a class="button" href={`?${new URLSearchParams(query)}`}>
      {children}
    </a>
  </p>
);
