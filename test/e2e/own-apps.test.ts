// Two customers with apps of their own at X, and one with the app of the deployment: over HTTP, on a fake that refreshes a token
// for the app that it was issued to alone.
import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { APP, toOwnApp } from "../local/networks/apps.ts";
import { OWNER_EMAIL } from "../local/seed.ts";
import { requestSignInLink } from "../local/sign-in-link.ts";
import { type Account, type Customer, openDeploymentBrowser, withCron } from "./customer.ts";
import { useDeployment } from "./deployment.ts";
import { createWorkspace, operate, setApp, type Workspace } from "./operator.ts";

const TEST_MS = 200_000;
const [FIRST, SECOND] = [toOwnApp("first"), toOwnApp("second")];
const POSTED = { status: "posted", error_message: null };

const deployment = useDeployment("own-apps");

/** The account and the app whose consent screen was shown, in the order: first app, second app, no app. */
const customers: { customer: Customer; account: Account; app: string | null }[] = [];

beforeAll(async () => {
  for (const name of ["first", "second", "third"]) {
    const workspace = await createWorkspace(deployment, name);
    if (name === "first") await saveInDashboard(workspace, name);
    if (name === "second") await setApp(deployment, workspace, { platform: "twitter", name });
    const { customer } = workspace;
    const { app, ...account } = await customer.connect({ offer: "twitter", person: `own_${name}` });
    customers.push({ customer, account, app });
  }
}, TEST_MS);

/** Saves an app in the dashboard, signed in as the owner of the workspace. */
async function saveInDashboard({ id }: Workspace, name: string): Promise<void> {
  const { id: clientId, secret: clientSecret } = toOwnApp(name);
  const { stack, worker } = deployment;
  const browser = openDeploymentBrowser(deployment);
  const [, otp] = (await requestSignInLink(worker.url, `${stack.vars.MAIL_API_URL}/_mails`)).split("#");
  const headers = { origin: worker.url, "content-type": "application/json" };
  const body = JSON.stringify({ email: OWNER_EMAIL, otp });
  const signedIn = await browser.request("/auth/sign-in/email-otp", { method: "POST", headers, body });
  expect(signedIn.status).toBe(200);
  const page = await browser.post(
    `/dashboard/${id}/network-apps/twitter`,
    Object.entries({ clientId, clientSecret, scopes: "" }),
  );
  expect(page.text).toContain(`<code>${clientId}</code>`);
}

/** Posts to every account after its token has ended; returns the states once each post is published or has an error. */
async function publishWithExpiredTokens(caption: string) {
  await deployment.stack.database.query("update accounts set token_expires_at = now() where username like 'own%'", []);
  const posts = customers.map(async ({ customer, account }) => {
    const id = await customer.createPost(account.id, caption);
    const [state] = await customer.waitForPosts([id], (one) => Boolean(one.published_url ?? one.error_message));
    return { id, ...state };
  });
  return withCron(deployment, Promise.all(posts));
}

const countPublished = (text: string) =>
  (deployment.stack.networks.published().twitter ?? []).filter(({ caption }) => caption === text).length;

/** Of the requests with which the service refreshed tokens, the responses of the fake. */
const listRefreshes = () =>
  deployment.stack.networks
    .log()
    .filter(({ network, call }) => network === "twitter" && call === "oauth2/token")
    .map(({ status }) => status);

async function setState(states: object): Promise<void> {
  const body = JSON.stringify({ ...FIRST, states });
  const response = await fetch(`${deployment.stack.networks.url}/_apps`, { method: "PUT", body });
  expect(response.status).toBe(200);
}

test(
  "each account is connected, refreshed and published to with the app of its customer",
  async () => {
    expect(customers.map(({ app }) => app)).toEqual([FIRST.id, SECOND.id, APP.id]);
    const [caption, before] = [randomUUID(), listRefreshes().length];
    expect(await publishWithExpiredTokens(caption)).toMatchObject([POSTED, POSTED, POSTED]);
    expect(countPublished(caption)).toBe(3);
    expect(listRefreshes().slice(before)).toEqual([200, 200, 200]);
  },
  TEST_MS,
);

test(
  "posts wait for a restricted app and say so, those of other apps go out",
  async () => {
    const caption = randomUUID();
    await setState({ twitter: "out_of_credits" });
    const [waiting, ...others] = await publishWithExpiredTokens(caption);
    expect(others).toMatchObject([POSTED, POSTED]);
    expect(waiting).toMatchObject({ status: "retry", published_url: null });
    expect(waiting?.error_message).toContain(`X does not accept requests of your own app ${FIRST.id}`);
    expect(countPublished(caption)).toBe(2);

    await setState({});
    const { id: post = "" } = waiting ?? {};
    const [delivery] = await deployment.stack.database.query<{ id: string }>(
      "select id from post_deliveries where post_id = $1",
      [post],
    );
    await operate(deployment, ["deliveries", "requeue", "--id", delivery?.id ?? ""]);
    expect(await withCron(deployment, at(customers, 0).customer.waitForPosts([post]))).toMatchObject([POSTED]);
    expect(countPublished(caption)).toBe(3);
  },
  TEST_MS,
);

test(
  "all publish after the token key was rotated, which seals the secrets of the apps again",
  async () => {
    const previous = deployment.settings.TOKEN_KEY ?? "";
    const keys = { TOKEN_KEY: randomBytes(32).toString("base64"), TOKEN_KEY_PREVIOUS: previous };
    await deployment.deploy(keys);
    const rotated = await operate(deployment, ["keys", "rotate-token-key"], { keys });
    expect(rotated).toMatch(
      /^The tokens of \d+ accounts and the secrets of 2 apps of customers and \d+ webhooks are encrypted/,
    );
    await deployment.deploy({ TOKEN_KEY: keys.TOKEN_KEY });
    const caption = randomUUID();
    expect(await publishWithExpiredTokens(caption)).toMatchObject([POSTED, POSTED, POSTED]);
    expect(countPublished(caption)).toBe(3);
  },
  TEST_MS,
);
