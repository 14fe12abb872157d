// Selects posts of the queue, and moves, pauses or deletes them together; each can be undone for a moment.
import { HOUR_MS } from "../../../../lib/shared/durations.ts";
import type { ClockTime } from "../../../../lib/shared/schedule.ts";
import { createCaller } from "../shared/api.ts";
import { AMOUNTS, describeResult, type MoveName, NO_TIME, NOT_DELETED } from "../shared/bulk.ts";
import { addDays, fetchClockTime } from "../shared/clock.ts";
import { deleteLater, showToast } from "../shared/toast.ts";

/** Requests at the same time. */
const PARALLEL = 4;

export function startBulk(form: HTMLFormElement, live: HTMLElement, refresh: () => Promise<void>): void {
  const { base = "", timeZone = "UTC" } = form.dataset;
  const call = createCaller(`${base}/api`);
  const all = form.querySelector<HTMLInputElement>("#select-all input") as HTMLInputElement;
  const count = form.querySelector<HTMLElement>("#bulk-count") as HTMLElement;
  const listBoxes = () => [...live.querySelectorAll<HTMLInputElement>("input[name=post]")];
  const listSelected = () => listBoxes().filter((box) => box.checked);

  function show(): void {
    const [boxes, selected] = [listBoxes(), listSelected()];
    form.classList.toggle("active", selected.length > 0);
    all.checked = selected.length > 0 && selected.length === boxes.length;
    all.indeterminate = selected.length > 0 && !all.checked;
    const text = selected.length === 0 ? "Select posts to change them together." : `${selected.length} selected`;
    if (count.textContent !== text) count.textContent = text;
    for (const button of form.querySelectorAll<HTMLButtonElement>("button")) button.disabled = selected.length === 0;
  }

  /** Changes each post with `change`, which returns what undoes it; one message says how many were changed. */
  async function changeAll(
    selected: HTMLInputElement[],
    verb: string,
    change: (box: HTMLInputElement) => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    const undos: (() => Promise<unknown>)[] = [];
    const reasons: string[] = [];
    await runAll(selected, async (box) => {
      try {
        undos.push(await change(box));
      } catch (error) {
        reasons.push((error as Error).message);
      }
    });
    for (const box of selected) box.checked = false;
    await refresh();
    show();
    const undo = () =>
      void runAll(undos, (each) => each())
        .then(() => showToast("Everything is as it was."))
        .catch((error: Error) => showToast(error.message, { kind: "problem" }))
        .then(refresh);
    const isFailure = undos.length === 0;
    showToast(describeResult(verb, undos.length, reasons), isFailure ? { kind: "problem" } : { undo });
  }

  const setTime = (postId: string, time: ClockTime) =>
    call("PATCH /posts/{postId}", { params: { postId }, body: { scheduled_at: time } });

  /** Moves by days keep the time of day, also across a change to summer time; moves by hours may change it. */
  function move(
    selected: HTMLInputElement[],
    to: { hours: number } | { days: number } | { day: string },
  ): Promise<void> {
    return changeAll(selected, "moved", async ({ value: postId, dataset: { at, local = "" } }) => {
      if (!at) throw new Error(NO_TIME);
      const stored = new Date(at);
      const before = await fetchClockTime(base, stored);
      if ("hours" in to)
        await setTime(postId, await fetchClockTime(base, new Date(stored.getTime() + to.hours * HOUR_MS)));
      else {
        const day = "day" in to ? to.day : addDays(local.slice(0, 10), to.days);
        await setTime(
          postId,
          day === local.slice(0, 10) ? before : { local: `${day}${local.slice(10)}`, time_zone: timeZone },
        );
      }
      return () => setTime(postId, before);
    });
  }

  function pause(selected: HTMLInputElement[]): Promise<void> {
    return changeAll(selected, "paused", async ({ value: postId }) => {
      await call("PATCH /posts/{postId}", { params: { postId }, body: { draft: true } });
      return () => call("POST /posts/{postId}/commit", { params: { postId }, body: {} });
    });
  }

  function remove(selected: HTMLInputElement[]): void {
    const items = selected.flatMap((box) => box.closest<HTMLElement>("li.post") ?? []);
    for (const box of selected) box.checked = false;
    show();
    const ids = selected.map(({ value }) => value);
    deleteLater(`${ids.length} ${ids.length === 1 ? "post" : "posts"} deleted.`, items, async () => {
      const { deletedIds } = await call("POST /posts/delete", { body: { post_ids: ids }, keepalive: true });
      await refresh();
      const left = ids.slice(deletedIds.length).map(() => NOT_DELETED);
      if (left.length > 0) throw new Error(describeResult("deleted", deletedIds.length, left));
    });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const selected = listSelected();
    if (selected.length === 0) return;
    const data = new FormData(form);
    const action = (event.submitter as HTMLButtonElement | null)?.value;
    const day = String(data.get("day") ?? "");
    if (action === "move") void move(selected, AMOUNTS[data.get("by") as MoveName]);
    if (action === "pause") void pause(selected);
    if (action === "delete") remove(selected);
    if (action !== "day") return;
    if (day) void move(selected, { day });
    else form.querySelector<HTMLInputElement>("[name=day]")?.focus();
  });
  all.addEventListener("change", () => {
    for (const box of listBoxes()) box.checked = all.checked;
    show();
  });
  live.addEventListener("change", show);
  (all.closest("label") as HTMLElement).hidden = false;
  form.classList.add("scripted");
  show();
}

async function runAll<Item>(items: readonly Item[], run: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
