// On every page: the time zone of the browser, copying, signing out, and questions before actions that cannot be undone.
import { formatInstant } from "./shared/instant.ts";

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const isKnown = () => document.cookie.split("; ").includes(`tz=${timeZone}`);
if (!isKnown()) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the server formats times with it; Safari has no cookieStore.
  document.cookie = `tz=${timeZone}; path=/dashboard; max-age=31536000; SameSite=Lax${secure}`;
  // The times of this page, those in forms too, are in another time zone: sent back, they would mean other instants.
  if (document.body.dataset.timeZone && document.body.dataset.timeZone !== timeZone && isKnown()) location.reload();
}

// A page that the server cannot write in the time zone of its reader, since no cookie goes there, has UTC until now.
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
