// The public pages of a connect link: choose a network, choose among several accounts, done.
import { html } from "hono/html";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { toWallClock } from "../shared/time-zone.ts";
import { type Html, renderPage } from "./layout.ts";

export interface LinkPage {
  /** Path of the page. */
  path: string;
  /** The person who sent the link. */
  sender: string;
  label: string | null;
  /** `byServer`: the person names the account, and signs in at its own server or with an app password. */
  offers: { platform: Platform; variant: "default" | "pages"; byServer: boolean }[];
  connected: { platform: Platform; username: string; displayName: string }[];
  /** The result of the last step, if there was one. */
  notice: { kind: "good" | "bad"; text: string } | null;
  expiresAt: Date;
  /** Of the person who sent the link. */
  timeZone: string;
}

export function renderLink(page: LinkPage): Html {
  const { path, sender, label, offers, connected, notice, expiresAt, timeZone } = page;
  const heading = connected.length > 0 ? "Connect more accounts" : "Connect your accounts";
  return renderPage(
    { title: `Connect accounts for ${sender}` },
    html`<h1>${heading}</h1>
<p><b>${sender}</b> asks you to connect social accounts, to publish posts on them.${label ? html` <span class="soft">(${label})</span>` : ""}</p>
<p class="soft">You sign in at the network itself. You can end the access in its settings at any time.</p>
${notice ? html`<div class="notice ${notice.kind}" role="${notice.kind === "bad" ? "alert" : "status"}">${notice.text}</div>` : ""}
${connected.length > 0 ? html`${renderConnected(connected)}<form class="actions" method="post" action="${path}/done"><button>I am done</button></form>` : ""}
<h2>${connected.length > 0 ? "More networks" : "Networks"}</h2>
<ul>${offers.map((offer) => html`<li class="card">${renderOffer(path, offer)}</li>`)}</ul>
<p class="soft end">This link ends on ${formatTime(expiresAt, timeZone)}.</p>`,
  );
}

function renderConnected(connected: LinkPage["connected"]): Html {
  return html`<h2>Connected</h2>
<ul>${connected.map(
    ({ platform, username, displayName }) =>
      html`<li class="card row"><b>${displayName}</b><span class="soft">${PLATFORM_DETAILS[platform].name}${username === displayName ? "" : html` · ${username}`}</span></li>`,
  )}</ul>`;
}

function renderOffer(path: string, { platform, variant, byServer }: LinkPage["offers"][number]): Html {
  const name = variant === "pages" ? `${PLATFORM_DETAILS[platform].name} page` : PLATFORM_DETAILS[platform].name;
  const field = html`<input type="hidden" name="platform" value="${platform}"><input type="hidden" name="variant" value="${variant}">`;
  if (!byServer) {
    return html`<form class="row" method="post" action="${path}">${field}<b>${name}</b><button class="plain" aria-label="Connect ${name}">Connect</button></form>`;
  }
  return html`<details><summary>${name}</summary><form method="post" action="${path}">${field}
<p class="soft">You sign in at the server that hosts the account, and allow the access there.</p>
<label for="${platform}-account">Handle</label>
<input id="${platform}-account" aria-describedby="${platform}-hint" type="text" name="identifier" autocomplete="username" autocapitalize="none" spellcheck="false" placeholder="ann.bsky.social" required>
<small id="${platform}-hint" class="soft">Or the account's DID, or the address of its server, such as https://bsky.social.</small>
<div class="actions"><button>Continue to ${name}</button></div></form>
<details><summary>With an app password instead</summary><form method="post" action="${path}">${field}
<p class="soft">Make an app password in ${name} under Settings, Privacy and security, App passwords. It works for posting only, and you can delete it there.</p>
<label for="${platform}-identifier">Handle</label>
<input id="${platform}-identifier" type="text" name="identifier" autocomplete="username" autocapitalize="none" spellcheck="false" placeholder="ann.bsky.social" required>
<label for="${platform}-password">App password</label>
<input id="${platform}-password" type="password" name="password" autocomplete="off" placeholder="xxxx-xxxx-xxxx-xxxx" required>
<div class="actions"><button class="plain">Connect ${name}</button></div></form></details></details>`;
}

const KINDS: Record<string, string> = { profile: "Profile", page: "Page", organization: "Page", channel: "Channel" };

export interface ChoicePage {
  path: string;
  connectionId: string;
  platform: Platform;
  candidates: { externalId: string; username: string; displayName: string; kind: string }[];
  /** True if the form came back without a choice. */
  isEmpty: boolean;
}

export function renderChoice({ path, connectionId, platform, candidates, isEmpty }: ChoicePage): Html {
  const { name } = PLATFORM_DETAILS[platform];
  return renderPage(
    { title: `Choose accounts on ${name}` },
    html`<h1>Which of these may be published to?</h1>
<p>${name} gave access to several. Only those that you choose are connected.</p>
${isEmpty ? html`<div class="notice bad" role="alert">Choose at least one, or go back.</div>` : ""}
<form method="post" action="${path}/accounts"><input type="hidden" name="connection" value="${connectionId}">
<ul>${candidates.map(
      ({ externalId, username, displayName, kind }) =>
        html`<li class="card"><label class="choice"><input type="checkbox" name="account" value="${externalId}"><span><b>${displayName}</b><small>${KINDS[kind] ?? "Account"}${username === displayName ? "" : html` · ${username}`}</small></span></label></li>`,
    )}</ul>
<div class="actions"><button>Connect the chosen</button><a class="button plain" href="${path}">Go back</a></div></form>`,
  );
}

/** Between this page and the network, so that no form leads to another site. */
export function renderLeaving(platform: Platform, url: string): Html {
  const { name } = PLATFORM_DETAILS[platform];
  return renderPage(
    { title: `Opening ${name}`, next: url },
    html`<h1>Opening ${name}</h1>
<p>Sign in there, and allow the access. You come back here afterwards.</p>
<p><a class="button" href="${url}" rel="noreferrer">Continue to ${name}</a></p>`,
  );
}

/** `isArrival`: the visitor has just finished, and is sent on. */
export function renderDone(connected: LinkPage["connected"], redirectUrl: string | null, isArrival: boolean): Html {
  const count = connected.length === 1 ? "One account is" : `${connected.length} accounts are`;
  return renderPage(
    { title: "Done", ...(redirectUrl && isArrival ? { next: redirectUrl } : {}) },
    html`<h1>Done</h1>
<p>${count} connected. This link does not work any more.</p>
${connected.length > 0 ? renderConnected(connected) : ""}
<p class="actions">${
      redirectUrl
        ? html`<a class="button" href="${redirectUrl}" rel="noreferrer">Continue to ${new URL(redirectUrl).host}</a>`
        : "You can close this page."
    }</p>`,
  );
}

/** A page that says why nothing can be done here, and what to do. */
export function renderMessage(title: string, text: string): Html {
  return renderPage({ title }, html`<h1>${title}</h1><p>${text}</p>`);
}

/** `25 November 2026, 09:00 (Europe/Berlin)` */
function formatTime(at: Date, timeZone: string): string {
  const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone });
  return `${day}, ${toWallClock(at, timeZone).slice(11, 16)} (${timeZone})`;
}
