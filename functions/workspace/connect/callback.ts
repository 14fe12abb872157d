// Networks send the browser back here with a code. The request is authenticated by the state and by the cookie of the same browser.
import { Hono } from "hono";
import { finishConnection } from "../../../lib/accounts/finish-connection.ts";
import { BROWSER_COOKIE } from "../../../lib/accounts/start-connection.ts";
import { getPublicOrigin, readHostCookie, sendPage, toPageError } from "../../../lib/http/page.ts";
import { openRequest } from "../../../lib/http/pipeline.ts";
import type { PipelineEnv } from "../../../lib/http/pipeline-state.ts";
import { renderMessage } from "../../../lib/pages/connect.ts";
import { PAGE_POLICY as policy } from "../../../lib/pages/layout.ts";
import { CONNECT_CALLBACK_PATH } from "../../../lib/shared/paths.ts";
import { PLATFORMS } from "../../../lib/shared/platforms.ts";

const callback = new Hono<PipelineEnv>({ strict: false });

callback.get(
  `${CONNECT_CALLBACK_PATH}/:platform`,
  openRequest("connect.callback", `GET ${CONNECT_CALLBACK_PATH}/:platform`),
  async (c) => {
    const platform = PLATFORMS.find((known) => known === c.req.param("platform"));
    const { state = "", code = null, error = null, iss: issuer = null } = c.req.query();
    const browser = readHostCookie(c, getPublicOrigin(c), BROWSER_COOKIE) ?? "";
    const connection = platform
      ? await finishConnection(c.var.services, { platform, state, code, error, issuer, browser })
      : null;
    if (connection) return c.redirect(`${connection.returnTo}?connection=${connection.id}`, 303);
    const text =
      "It was finished before, took longer than 15 minutes, was begun in another browser, or its link has ended. Open the page where you began, and connect the account again.";
    return sendPage(c, renderMessage("This step is over", text), { status: 410, policy });
  },
);
callback.onError((error, c) => {
  const reported = toPageError(c, error);
  const text =
    reported?.message ?? `An internal error occurred. Connect the account again. (Request ${c.var.requestId})`;
  return sendPage(c, renderMessage("This did not work", text), { status: reported ? 400 : 500, policy });
});

export default callback;
