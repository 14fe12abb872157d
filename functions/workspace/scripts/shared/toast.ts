// Short messages about what was done, in the corner, with a button that takes it back.
import { createElement } from "./element.ts";

const SHOWN_MS = 6_000;

interface ToastOptions {
  kind?: "done" | "problem";
  /** Shows "Undo", which calls it. */
  undo?: () => void;
  /** Called when the toast goes without an undo. */
  onEnd?: () => void;
}

/** A problem stays until it is closed. Pointing at a toast, or focus in it, keeps it. */
export function showToast(text: string, { kind = "done", undo, onEnd }: ToastOptions = {}): void {
  const toast = createElement("div", { className: `toast ${kind}` }, createElement("span", {}, text));
  toast.setAttribute("role", kind === "problem" ? "alert" : "status");
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (after?: () => void) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    toast.remove();
    removeEventListener("pagehide", leave);
    after?.();
  };
  const leave = () => end(onEnd);
  const start = () => {
    clearTimeout(timer);
    if (kind !== "problem") timer = setTimeout(leave, SHOWN_MS);
  };
  const addButton = (label: string, after?: () => void) => {
    const button = createElement("button", { type: "button", className: "link" }, label);
    button.addEventListener("click", () => end(after));
    toast.append(button);
  };
  if (undo) addButton("Undo", undo);
  if (kind === "problem") addButton("Close", onEnd);
  for (const event of ["pointerenter", "focusin"]) toast.addEventListener(event, () => clearTimeout(timer));
  for (const event of ["pointerleave", "focusout"]) toast.addEventListener(event, start);
  addEventListener("pagehide", leave);
  getToasts().append(toast);
  start();
}

function getToasts(): HTMLElement {
  const existing = document.querySelector<HTMLElement>(".toasts");
  if (existing) return existing;
  const toasts = createElement("div", { className: "toasts" });
  document.body.append(toasts);
  return toasts;
}

/**
 * Removes something that the API cannot bring back: it is hidden at once and deleted when the toast ends or the page is left,
 * so that "Undo" needs nothing from the server. `run` must send its request with `keepalive`.
 */
export function deleteLater(text: string, hidden: readonly HTMLElement[], run: () => Promise<unknown>): void {
  const show = (isShown: boolean) => {
    for (const element of hidden) element.hidden = !isShown;
  };
  show(false);
  showToast(text, {
    undo: () => show(true),
    onEnd: () =>
      void run().catch((error: Error) => {
        show(true);
        showToast(error.message, { kind: "problem" });
      }),
  });
}
