// The page of passkeys: adds one on this device.
import { createPasskey, isSupported } from "./webauthn.ts";

const form = document.querySelector<HTMLFormElement>("#passkey-form");
const problem = document.querySelector<HTMLElement>("#problem");
const button = form?.querySelector("button");

if (!isSupported()) showProblem("This browser has no passkeys. Sign in with a code by email.");
if (button) button.disabled = !isSupported();

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  showProblem("");
  const failure = await createPasskey(new FormData(form).get("name")?.toString() ?? "");
  if (failure) showProblem(failure);
  else location.reload();
});

function showProblem(text: string): void {
  if (!problem) return;
  problem.hidden = text === "";
  problem.textContent = text;
}
