// On every page: times for a reader whom the server does not know, copying, signing out, and questions before actions that cannot be undone.
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { formatInstant } from "../../../lib/shared/shown-instant.ts";

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

const QUARTER_MS = 91 * DAY_MS;

/** Zones have several names, such as Europe/Kyiv and Europe/Kiev, and browsers differ in which they prefer. */
function hasSameClock(zone: string): boolean {
  const readYear = (of: string) =>
    [0, 1, 2, 3].map((quarters) => formatInstant(new Date(Date.now() + quarters * QUARTER_MS), of)).join();
  try {
    return readYear(zone) === readYear(timeZone);
  } catch {
    // The browser does not know the zone.
    return false;
  }
}

// The zone of the workspace can be set to that of its reader.
for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-browser-zone]")) {
  const field = button.form?.querySelector<HTMLSelectElement>(`[name=${button.dataset.browserZone}]`);
  if (!field || hasSameClock(field.value) || ![...field.options].some(({ value }) => value === timeZone)) continue;
  button.textContent = `Use ${timeZone}, the time zone of this browser`;
  button.hidden = false;
  button.addEventListener("click", () => {
    field.value = timeZone;
  });
}

// A browser in another time zone than the workspace says so, before a post goes out at the wrong hour.
for (const note of document.querySelectorAll<HTMLElement>("[data-zone]")) {
  if (!hasSameClock(note.dataset.zone ?? "")) note.textContent += ` (this browser: ${timeZone})`;
}

// A page for people outside the workspace has times in its zone until now, since the server does not know theirs.
for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
  time.textContent = `${formatInstant(new Date(time.dateTime), timeZone, { timeZoneName: "short" })} (${timeZone})`;
}

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copy]") : null;
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy ?? "");
  button.textContent = "Copied";
});

document.addEventListener("submit", async (event) => {
  const form = event.target as HTMLFormElement;
  const question = event.submitter?.dataset.confirm ?? form.dataset.confirm;
  if (question && !confirm(question)) return event.preventDefault();
  if (!form.matches("[data-sign-out]")) return;
  event.preventDefault();
  await fetch("/auth/sign-out", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  location.assign("/dashboard/sign-in");
});
