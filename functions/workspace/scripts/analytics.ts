// Analytics: refreshes run while the page stays, their figures appear when they end, and a removed account can be taken back.
import { createCaller } from "./shared/api.ts";
import { deleteLater, showToast } from "./shared/toast.ts";

const POLL_MS = 2_000;

const section = document.querySelector<HTMLElement>("#targets");
const call = createCaller(section?.dataset.api ?? "");

section?.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const { target, remove, name = "" } = form.dataset;
  if (target) {
    event.preventDefault();
    void refresh(form, target);
  }
  if (remove) {
    event.preventDefault();
    const item = form.closest<HTMLElement>(".target");
    deleteLater(`${name} is not tracked any more.`, item ? [item] : [], () =>
      call("DELETE /analytics/targets/{targetId}", { params: { targetId: remove } }),
    );
  }
});

for (const state of document.querySelectorAll<HTMLElement>("[data-refresh]")) void follow(state.closest(".target"));

async function refresh(form: HTMLFormElement, targetId: string): Promise<void> {
  const target = form.closest<HTMLElement>(".target");
  try {
    await call("POST /analytics/targets/{targetId}/refresh", { params: { targetId } });
  } catch (error) {
    showToast((error as Error).message, { kind: "problem" });
    return;
  }
  showToast("Its posts are being read.");
  await replaceStates(target);
  await follow(target);
}

/** Waits for the end of the refresh of an account, then shows what came of it. */
async function follow(target: HTMLElement | null): Promise<void> {
  const refreshId = target?.querySelector<HTMLElement>("[data-refresh]")?.dataset.refresh;
  if (!target || !refreshId) return;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (document.hidden) continue;
    const params = { refreshId };
    const found = await call("GET /analytics/refreshes/{refreshId}", { params }).catch(() => null);
    if (!found || found.status === "pending" || found.status === "processing") continue;
    const name = target.querySelector("h3 a")?.textContent ?? document.querySelector("h1")?.textContent ?? "";
    await replaceStates(target);
    if (found.status === "failed") showToast(`${name}: ${found.error ?? "the refresh failed."}`, { kind: "problem" });
    else showToast(`${name} is refreshed.`);
    return;
  }
}

/** Shows the states and figures of now. Forms stay, so that nothing that is typed is lost. */
async function replaceStates(target: HTMLElement | null): Promise<void> {
  const response = await fetch(location.href).catch(() => null);
  if (!response?.ok || response.redirected) return;
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const replace = (selector: string) => {
    const [current, fresh] = [document.querySelector(selector), next.querySelector(selector)];
    if (!current || !fresh) return;
    const hadFocus = current.contains(document.activeElement);
    current.replaceWith(document.adoptNode(fresh));
    if (hadFocus) target?.querySelector<HTMLElement>("h3 a, summary")?.focus();
  };
  const owner = target?.id ? `#${target.id}` : "#targets";
  for (const part of [".refresh-state", ".refresh-form", ".gained"]) replace(`${owner} ${part}`);
  // A person in the filter is choosing what to see.
  if (!document.querySelector("#figures search")?.contains(document.activeElement)) replace("#figures");
}
