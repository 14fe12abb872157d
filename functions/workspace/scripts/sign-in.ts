// Sign-in: requests a code by mail, then sends it. A link in the mail has the code behind the `#` of the address. A passkey
// replaces the code.
import { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill } from "@simplewebauthn/browser";
import { postJson, showProblem } from "./shared/form.ts";
import { signInWithPasskey } from "./shared/webauthn.ts";

const emailForm = document.querySelector<HTMLFormElement>("#email-form");
const codeForm = document.querySelector<HTMLFormElement>("#code-form");
const email = document.querySelector<HTMLInputElement>("#email");
const code = document.querySelector<HTMLInputElement>("#code");
const passkey = document.querySelector<HTMLElement>("#passkey-sign-in");
const sentTo = document.querySelector<HTMLElement>("#sent-to");

async function post(path: string, body: object): Promise<boolean> {
  const response = await postJson(path, body);
  if (response?.ok) return true;
  const limited = response?.status === 429;
  showProblem(
    limited
      ? "Too many attempts for this address. Try again in an hour."
      : path.includes("send")
        ? "The code could not be sent. Try again."
        : "This code is wrong or has ended. After three wrong codes, ask for a new one.",
  );
  return false;
}

function showCodeForm(): void {
  if (emailForm) emailForm.hidden = true;
  if (codeForm) codeForm.hidden = false;
  if (sentTo) sentTo.textContent = email?.value ?? "";
  code?.focus();
}

/** The sixth digit sends the code, and Enter after it would send it again. */
let isSigningIn = false;

async function signIn(): Promise<void> {
  if (isSigningIn) return;
  isSigningIn = true;
  showProblem("");
  const done = await post("/auth/sign-in/email-otp", { email: email?.value, otp: code?.value.trim() });
  isSigningIn = false;
  if (done) openDashboard();
  else code?.select();
}

/** The button and the offer beside the address may both succeed, and a second navigation would abort the first. */
let isOpening = false;

function openDashboard(): void {
  if (isOpening) return;
  isOpening = true;
  location.assign(emailForm?.dataset.next ?? "/dashboard");
}

/** The offer beside the field of the address waits; a press of the button ends it, as a browser asks one thing at a time. */
async function offerPasskeys(): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  if ((await signInWithPasskey({ offer: true })) === null) openDashboard();
}

if (browserSupportsWebAuthn()) {
  if (passkey) passkey.hidden = false;
  void offerPasskeys();
}
passkey?.querySelector("button")?.addEventListener("click", async () => {
  showProblem("");
  const failure = await signInWithPasskey();
  if (failure) showProblem(failure);
  else openDashboard();
});
emailForm?.addEventListener("submit", async (event) => {
  event.preventDefault();
  showProblem("");
  if (await post("/auth/email-otp/send-verification-otp", { email: email?.value, type: "sign-in" })) showCodeForm();
});
codeForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  void signIn();
});
code?.addEventListener("input", () => {
  if (/^\d{6}$/.test(code.value)) void signIn();
});
document.querySelector("#other-address")?.addEventListener("click", () => {
  if (emailForm) emailForm.hidden = false;
  if (codeForm) codeForm.hidden = true;
  showProblem("");
  email?.focus();
});

const given = location.hash.slice(1);
if (/^\d{6}$/.test(given) && email?.value && code) {
  history.replaceState(null, "", location.pathname);
  showCodeForm();
  code.value = given;
  void signIn();
}
