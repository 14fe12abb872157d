// A person at the sign-in page of a real Bluesky server: calls what the page's own script calls, with the headers of a browser.
import { request } from "node:http";

const API = "/@atproto/oauth-provider/~api";

/** Signs in, and allows or denies the access; returns the query with which the server sends the browser back. */
export async function consentAt(
  url: string,
  { handle, did, password }: { handle: string; did: string; password: string },
  decision: "allow" | "deny" = "allow",
): Promise<URLSearchParams> {
  const { origin } = new URL(url);
  const cookies = new Map<string, string>();
  const page = await send(cookies, "GET", url, { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" });
  if (page.status !== 200) throw new Error(`the sign-in page returned ${page.status}: ${page.text.slice(0, 500)}`);

  async function call(name: string, json: unknown, token?: unknown): Promise<Record<string, unknown>> {
    const headers = {
      ...{ "sec-fetch-mode": "same-origin", "content-type": "application/json", origin, referer: url },
      ...{ "sec-fetch-site": "same-origin", "x-csrf-token": cookies.get("csrf-token") ?? "" },
      ...(token ? { authorization: `Bearer ${String(token)}` } : {}),
    };
    const response = await send(cookies, "POST", `${origin}${API}/${name}`, headers, JSON.stringify(json));
    if (response.status !== 200) throw new Error(`${name} returned ${response.status}: ${response.text}`);
    return JSON.parse(response.text) as Record<string, unknown>;
  }
  if (decision === "deny") return readRedirect(await call("reject", {}));
  const signedIn = await call("sign-in", { locale: "en", username: handle, password });
  return readRedirect(await call("consent", { did }, signedIn.ephemeralToken));
}

/** The page goes to a path of the server that redirects with the same query. */
function readRedirect({ url }: Record<string, unknown>): URLSearchParams {
  return new URL(String(url)).searchParams;
}

/** `fetch` sets some of these headers itself, as no page may. */
function send(
  cookies: Map<string, string>,
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; text: string }> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: { "sec-fetch-site": "cross-site", ...headers, cookie } },
      (response) => {
        for (const line of response.headers["set-cookie"] ?? []) {
          const [pair = ""] = line.split(";");
          cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
        }
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
