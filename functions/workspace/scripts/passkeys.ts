// The page of passkeys: adds one on this device.
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { showProblem } from "./shared/form.ts";
import { createPasskey } from "./shared/webauthn.ts";

const form = document.querySelector<HTMLFormElement>("#passkey-form");
const button = form?.querySelector("button");

if (!browserSupportsWebAuthn()) showProblem("This browser has no passkeys. Sign in with a code by email.");
if (button) button.disabled = !browserSupportsWebAuthn();

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  showProblem("");
  const failure = await createPasskey(new FormData(form).get("name")?.toString() ?? "");
  if (failure) showProblem(failure);
  else location.reload();
});
