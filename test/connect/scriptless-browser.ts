// A browser without script: keeps cookies, posts forms, and answers the consent screens of the fake networks.

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** Path and query where the browser is. */
  at: string;
}

export interface Consent {
  /** The network's ids of the accounts, or names of new ones. */
  accounts: string[];
  /** Permissions that are left out. */
  without?: string[];
}

/** `send` makes one request to the service at `origin`, without following redirects. */
export function openBrowser(origin: string, send: (request: Request) => Promise<Response>) {
  const cookies = new Map<string, string>();

  /** One request to a path or URL of this service, without following redirects. */
  async function request(url: string, init: RequestInit = {}): Promise<Page> {
    const path = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(init.headers);
    if (cookie) headers.set("cookie", cookie);
    const response = await send(new Request(origin + path, { ...init, headers, redirect: "manual" }));
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return { status: response.status, headers: response.headers, text: await response.text(), at: path };
  }

  async function follow(page: Page): Promise<Page> {
    const location = page.headers.get("location");
    if (page.status < 300 || page.status > 399 || !location) return page;
    return follow(await request(location));
  }

  /** Submits a form as browsers do, and follows the redirect. */
  async function post(path: string, fields: [string, string][], headers: Record<string, string> = {}): Promise<Page> {
    const body = new URLSearchParams(fields);
    return follow(await request(path, { method: "POST", body, headers: { origin, ...headers } }));
  }

  return {
    cookies,
    request,
    post,
    get: async (path: string) => follow(await request(path)),

    /**
     * Starts a connection and returns the URL of the consent screen. `offer` is a platform, or "linkedin page";
     * `identifier` is what the person enters, if asked.
     */
    async start(linkPath: string, offer: string, identifier?: string): Promise<string> {
      const [platform = "", kind] = offer.split(" ");
      const named: [string, string][] = identifier === undefined ? [] : [["identifier", identifier]];
      const app: [string, string][] = kind ? [["variant", "pages"]] : [];
      const page = await post(linkPath, [["platform", platform], ...app, ...named]);
      const url = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(page.text)?.[1];
      if (!url) throw new Error(`no consent screen: ${page.status} ${page.text}`);
      return url.replaceAll("&amp;", "&");
    },

    /** Connects at a network; returns where the browser ends up. */
    async connect(linkPath: string, platform: string, consent: Consent | "deny", identifier?: string): Promise<Page> {
      const url = await this.start(linkPath, platform, identifier);
      return this.get(await answerConsent(url, consent));
    },
  };
}

/** Answers a consent screen; returns the URL where the network sends the browser. */
export async function answerConsent(url: string, consent: Consent | "deny"): Promise<string> {
  const screen = await fetch(url, { redirect: "manual" });
  const refused = screen.headers.get("location");
  if (refused) return refused;
  const text = await screen.text();
  if (!screen.ok) throw new Error(`the consent screen responded with ${screen.status}: ${text}`);
  const form = new URLSearchParams({ decision: consent === "deny" ? "deny" : "allow" });
  for (const [, scope = ""] of text.matchAll(/name="scope" value="([^"]+)"/g)) {
    if (consent !== "deny" && !consent.without?.includes(scope)) form.append("scope", scope);
  }
  for (const account of consent === "deny" ? [] : consent.accounts) form.append("account", account);
  const response = await fetch(url, { method: "POST", body: form, redirect: "manual" });
  return response.headers.get("location") ?? "";
}
