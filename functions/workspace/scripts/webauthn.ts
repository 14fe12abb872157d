// Asks the browser for a passkey: the options come from the server, and its answer goes back to the server.
const FOLDER = "/auth/passkey";

export const isSupported = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** The sentence for the person when it did not work; null when it did. */
export async function createPasskey(name: string): Promise<string | null> {
  const options = await readOptions<PublicKeyCredentialCreationOptionsJSON>("generate-register-options");
  if (typeof options === "string") return options;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await ask(() => navigator.credentials.create({ publicKey }));
  if (typeof credential === "string") return credential;
  return verify("verify-registration", { response: credential.toJSON(), name });
}

/** With `offer`, the browser shows its passkeys where the address is typed, and the promise waits until one is chosen. */
export async function signInWithPasskey(offer?: AbortSignal): Promise<string | null> {
  const options = await readOptions<PublicKeyCredentialRequestOptionsJSON>("generate-authenticate-options");
  if (typeof options === "string") return options;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const waiting = offer ? ({ mediation: "conditional", signal: offer } as const) : {};
  const credential = await ask(() => navigator.credentials.get({ publicKey, ...waiting }));
  if (typeof credential === "string") return credential;
  return verify("verify-authentication", { response: credential.toJSON() });
}

async function readOptions<Options>(path: string): Promise<Options | string> {
  const response = await fetch(`${FOLDER}/${path}`).catch(() => null);
  if (response?.ok) return (await response.json()) as Options;
  if (response?.status === 401 || response?.status === 403)
    return "For this you have to sign in again: your sign-in is over a day old. Sign out, then sign in.";
  if (response?.status === 429) return "Too many attempts from this network. Try again in an hour.";
  return "The server could not be reached. Try again.";
}

async function ask(request: () => Promise<Credential | null>): Promise<PublicKeyCredential | string> {
  try {
    const credential = await request();
    return credential instanceof PublicKeyCredential ? credential : "No passkey was chosen.";
  } catch (error) {
    const { name } = error as DOMException;
    if (name === "InvalidStateError") return "This device has a passkey for your account already.";
    if (name === "NotAllowedError" || name === "AbortError")
      return "Nothing was chosen, or it took too long. Try again.";
    // https://www.w3.org/TR/webauthn-3/#rp-id: an id is a domain.
    if (name === "SecurityError" && location.hostname === "127.0.0.1")
      return `Browsers keep passkeys for host names only. Open http://localhost:${location.port} instead of the IP address.`;
    return "This browser cannot use a passkey here. Sign in with a code.";
  }
}

async function verify(path: string, body: object): Promise<string | null> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${FOLDER}/${path}`, { method: "POST", headers, body: JSON.stringify(body) }).catch(
    () => null,
  );
  if (response?.ok) return null;
  return response?.status === 401
    ? "This passkey is not known here; it may have been removed. Sign in with a code."
    : "The passkey was not accepted. Try again, or sign in with a code.";
}
