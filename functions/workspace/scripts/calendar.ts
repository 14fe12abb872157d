// A scheduled post is dragged to another day, and keeps its time of day.
const grid = document.querySelector<HTMLElement>(".calendar");
const message = document.querySelector<HTMLElement>("#calendar-note");
let dragged: HTMLAnchorElement | null = null;

function findDay(event: DragEvent): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>(".day") : null;
}

grid?.addEventListener("dragstart", (event) => {
  dragged = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-at]") : null;
  if (!dragged) event.preventDefault();
});
grid?.addEventListener("dragover", (event) => {
  const day = findDay(event);
  if (!dragged || !day) return;
  event.preventDefault();
  for (const other of grid.querySelectorAll(".over")) if (other !== day) other.classList.remove("over");
  day.classList.add("over");
});
grid?.addEventListener("drop", async (event) => {
  const day = findDay(event);
  if (!dragged || !day) return;
  event.preventDefault();
  day.classList.remove("over");
  const at = new Date(dragged.dataset.at ?? "");
  const [year = 0, month = 1, date = 1] = (day.dataset.date ?? "").split("-").map(Number);
  at.setFullYear(year, month - 1, date);
  const id = dragged.pathname.split("/").at(-1);
  const response = await fetch(`${grid.dataset.api}/posts/${id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ scheduled_at: at.toISOString() }),
  }).catch(() => null);
  if (response?.ok) return location.reload();
  const answer = (await response?.json().catch(() => null)) as { message?: string } | null;
  if (message) message.textContent = answer?.message ?? "The post could not be moved. Try again.";
});
