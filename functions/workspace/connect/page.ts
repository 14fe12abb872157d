// The pages of a connect link, for a person without an account here: knowing the link's token permits to connect accounts.
import { type Context, Hono } from "hono";
import { chooseAccounts, readConnection } from "../../../lib/accounts/choose-accounts.ts";
import { type ConnectOffer, getRedirectUri } from "../../../lib/accounts/connect-context.ts";
import {
  type ConnectLink,
  countStart,
  findConnectLink,
  getLinkStatus,
  listLinkOffers,
} from "../../../lib/accounts/connect-links.ts";
import { connectWithPassword } from "../../../lib/accounts/connect-with-password.ts";
import { BROWSER_COOKIE, createBrowserSecret, startConnection } from "../../../lib/accounts/start-connection.ts";
import { SECURITY_HEADERS } from "../../../lib/http/envelope.ts";
import {
  getPublicOrigin,
  isFromOwnPage,
  limitForm,
  readForm,
  readHostCookie,
  sendPage,
  setHostCookie,
  toPageError,
} from "../../../lib/http/page.ts";
import { openRequest } from "../../../lib/http/pipeline.ts";
import type { PipelineEnv, PipelineStep } from "../../../lib/http/pipeline-state.ts";
import { renderChoice, renderDone, renderLeaving, renderLink, renderMessage } from "../../../lib/pages/connect.ts";
import { PAGE_POLICY as policy, STYLE, STYLE_PATH } from "../../../lib/pages/layout.ts";
import { describeClient } from "../../../lib/platforms/bluesky/oauth-client.ts";
import { drivers } from "../../../lib/platforms/index.ts";
import { markConnectLinkUsed } from "../../../lib/queries/connect-links.ts";
import { DAY_SECONDS } from "../../../lib/shared/durations.ts";
import { CLIENT_METADATA_PATH, CONNECT_PATH } from "../../../lib/shared/paths.ts";
import { PLATFORM_DETAILS, type Platform } from "../../../lib/shared/platforms.ts";

const PATH = `${CONNECT_PATH}/:token` as const;
type LinkContext = Context<PipelineEnv, typeof PATH>;

const BROWSER_SECONDS = DAY_SECONDS;

const page = new Hono<PipelineEnv>({ strict: false });

page.get(STYLE_PATH, (c) =>
  c.body(STYLE, 200, {
    ...SECURITY_HEADERS,
    "Content-Type": "text/css; charset=utf-8",
    "Cache-Control": "public, max-age=300",
  }),
);
/** Servers of accounts read this description of the service before they ask for a consent. */
page.get(CLIENT_METADATA_PATH, openRequest("connect.client", `GET ${CLIENT_METADATA_PATH}`), (c) => {
  const origin = getPublicOrigin(c);
  const description = describeClient(c.var.services.env.networks.bluesky, origin, getRedirectUri(origin, "bluesky"));
  return c.json(description, 200, { ...SECURITY_HEADERS, "Cache-Control": "public, max-age=300" });
});
page.get(PATH, openRequest("connect.page", `GET ${PATH}`), async (c) => {
  const link = await findConnectLink(c.var.services.db, c.req.param("token"));
  return showLink(c, link);
});

/** Only the pages of this service may post here: another site must not start a connection in a visitor's browser. */
const sameOrigin: PipelineStep = async (c, next) => {
  if (isFromOwnPage(c, getPublicOrigin(c))) return next();
  const text = "The form came from another site. Open the link that you were sent, and try again.";
  return sendMessage(c, 403, "Not from this page", text);
};
/** A form of the pages, which works as long as its link is open. */
function onForm(
  path: `${typeof PATH}${string}`,
  id: string,
  handle: (c: LinkContext, link: ConnectLink) => Promise<Response>,
): void {
  page.post(path, openRequest(id, `POST ${path}`), sameOrigin, limitForm, readForm, async (c) => {
    const link = await findConnectLink(c.var.services.db, c.req.param("token") ?? "");
    const isOpen = link && !link.isTestMode && getLinkStatus(link, c.var.now) === "open";
    return isOpen ? handle(c, link) : showLink(c, link);
  });
}

onForm(PATH, "connect.start", async (c, link) => {
  const form = await readFields(c);
  const offer = findOffer(c, link, form);
  if (!offer) return sendMessage(c, 400, "Not offered", "This link is not for that network.");
  if (!(await countStart(c.var.services.db, link.id, c.var.now)))
    return sendMessage(c, 429, "Too many attempts", "Ask for a new link.");
  return startIn(c, link, offer, form);
});
onForm(`${PATH}/accounts`, "connect.choose", async (c) => {
  const form = await readFields(c);
  const id = String(form.get("connection") ?? "");
  const externalIds = form.getAll("account").map(String);
  const hasChoice = await chooseAccounts(c.var.services, { id, browser: readBrowser(c), externalIds });
  return c.redirect(`${toPath(c)}?connection=${encodeURIComponent(id)}${hasChoice ? "" : "&empty=1"}`, 303);
});
onForm(`${PATH}/done`, "connect.done", async (c, link) => {
  await markConnectLinkUsed(c.var.services.db, link.id, c.var.now);
  return c.redirect(`${toPath(c)}?done=1`, 303);
});
page.onError((error, c) => {
  const reported = toPageError(c, error);
  if (reported) return sendMessage(c, reported.status === 413 ? 413 : 400, "This did not work", reported.message);
  const text = `An internal error occurred. Open the link again in a minute. (Request ${c.var.requestId})`;
  return sendMessage(c, 500, "This did not work", text);
});

async function showLink(c: LinkContext, link: ConnectLink | null): Promise<Response> {
  if (!link) return sendUnknown(c);
  if (link.isTestMode) return sendTestMode(c);
  const { services, now } = c.var;
  const status = getLinkStatus(link, now);
  const query = c.req.query();
  if (status === "used") {
    const isArrival = query.done !== undefined || query.connection !== undefined;
    return sendPage(c, renderDone(link.accounts, toRedirectUrl(link), isArrival), { policy });
  }
  if (status === "expired") {
    const text = "Links end after some time. Ask the person who sent it for a new one.";
    return sendMessage(c, 410, "This link has expired", text);
  }
  const connection = await readConnection(services, { id: query.connection ?? "", browser: readBrowser(c) });
  const own = connection?.linkId === link.id ? connection : null;
  const path = toPath(c);
  if (own?.status === "choosing") {
    const choice = { ...own, connectionId: own.id, path, isEmpty: query.empty !== undefined };
    return sendPage(c, renderChoice(choice), { policy });
  }
  const offers = listLinkOffers(services.env, link).map((offer) => ({
    ...offer,
    byServer: drivers[offer.platform].connectBy === "server",
  }));
  const notice = own ? toNotice(own) : null;
  const { sender, label, accounts: connected, expiresAt, timeZone } = link;
  return sendPage(c, renderLink({ path, sender, label, offers, connected, notice, expiresAt, timeZone }), { policy });
}

function toNotice({ status, error, platform }: { status: string; error: string | null; platform: Platform }) {
  if (status === "failed") return { kind: "bad" as const, text: error ?? "The connection failed. Try again." };
  if (status === "exchanging") return { kind: "bad" as const, text: "The connection was interrupted. Try again." };
  if (status !== "connected") return null;
  return { kind: "good" as const, text: `${PLATFORM_DETAILS[platform].name} is connected.` };
}

async function startIn(c: LinkContext, link: ConnectLink, offer: ConnectOffer, form: FormData): Promise<Response> {
  const { services } = c.var;
  const { platform } = offer;
  const browser = readBrowser(c) || createBrowserSecret();
  const origin = getPublicOrigin(c);
  // The network sends the browser back from another site.
  setHostCookie(c, origin, BROWSER_COOKIE, browser, { sameSite: "Lax", maxAge: BROWSER_SECONDS });
  const { ownerId, workspaceId, id: linkId } = link;
  const request = { tenant: { ownerId, workspaceId }, ...offer, linkId, browser, returnTo: toPath(c), origin };
  const identifier = String(form.get("identifier") ?? "");
  const password = form.get("password");
  if (password !== null) {
    const id = await connectWithPassword(services, request, { identifier, password: String(password) });
    return c.redirect(`${toPath(c)}?connection=${id}`, 303);
  }
  const { id, url } = await startConnection(services, { ...request, identifier });
  if (url) return sendPage(c, renderLeaving(platform, url), { policy });
  return c.redirect(`${toPath(c)}?connection=${id}`, 303);
}

/** A request that is no form has no fields. */
async function readFields(c: LinkContext): Promise<FormData> {
  return c.req.formData().catch(() => new FormData());
}

function findOffer(c: LinkContext, link: ConnectLink, form: FormData): ConnectOffer | null {
  const offers = listLinkOffers(c.var.services.env, link).filter(({ platform }) => platform === form.get("platform"));
  const variant = form.get("variant");
  return (variant === null ? offers[0] : offers.find((offer) => offer.variant === variant)) ?? null;
}

function toRedirectUrl({ redirectUrl, id }: ConnectLink): string | null {
  if (!redirectUrl) return null;
  const url = new URL(redirectUrl);
  url.searchParams.set("connect_link_id", id);
  return url.href;
}

function toPath(c: LinkContext): string {
  return `${CONNECT_PATH}/${c.req.param("token")}`;
}

function readBrowser(c: LinkContext): string {
  const cookie = readHostCookie(c, getPublicOrigin(c), BROWSER_COOKIE) ?? "";
  return /^[A-Za-z0-9_-]{43}$/.test(cookie) ? cookie : "";
}

function sendMessage(
  c: Context<PipelineEnv>,
  status: 400 | 403 | 404 | 410 | 413 | 429 | 500,
  title: string,
  text: string,
) {
  return sendPage(c, renderMessage(title, text), { status, policy });
}

/** Real accounts are never connected to test mode. */
function sendTestMode(c: LinkContext) {
  const text =
    "Test mode has an account at every network already, so this link connects nothing. Send one of live mode.";
  return sendMessage(c, 403, "A link of test mode", text);
}

function sendUnknown(c: LinkContext) {
  return sendMessage(c, 404, "This link is not known", "Check that the address is complete, or ask for a new link.");
}

export default page;
