// Test mode of a workspace: what it is, its clock, and how it is emptied.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { openSandbox } from "../../../lib/sandbox/open-sandbox.ts";
import type { SandboxAdvanced } from "../../../lib/schemas/sandbox.ts";
import { DAY_SECONDS } from "../../../lib/shared/durations.ts";
import { apiError, toApiError } from "../../../lib/shared/errors.ts";
import advanceSandbox from "../../sandbox/advance.ts";
import resetSandbox from "../../sandbox/reset.ts";
import { formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, openAudited, PageError } from "../session.ts";

const UNITS = { minutes: 60, hours: 3600, days: DAY_SECONDS } as const;
const MOST = 10_000;
const TOO_FAR =
  "The clock moves by at most 400 days at once, and to ten years ahead of real time. Choose less, or empty test mode, which sets the clock back.";

function showTestMode(c: PageContext): Response | Promise<Response> {
  const { workspace, services } = c.var;
  return c.html(
    <Layout c={c} title="Test mode" active="test-mode">
      <p class="lead">
        The same pages and the same API, with accounts at every network that publish nothing and a clock that you move.
        Posts, files, keys, webhooks and events of the two modes never meet. <a href="/docs">Open the reference</a>
      </p>
      {workspace.sandbox ? <Clock c={c} /> : <Entrance c={c} />}
      {services.env.ENVIRONMENT === "preview" && <p class="hint">This deployment of a branch has test mode only.</p>}
    </Layout>,
  );
}

const Entrance: FC<{ c: PageContext }> = ({
  c: {
    var: { workspace },
  },
}) => {
  if (workspace.modes.test) {
    return (
      <p>
        <a class="button primary" href={`/dashboard/${workspace.modes.test}/queue`}>
          Switch to test mode
        </a>
      </p>
    );
  }
  if (!hasRole(workspace.role, "editor")) return <p class="hint">An editor of the workspace switches it on.</p>;
  return (
    <form method="post" action={`/dashboard/${workspace.id}/test-mode/open`}>
      <button class="primary" type="submit">
        Switch test mode on
      </button>
    </form>
  );
};

const Clock: FC<{ c: PageContext }> = ({
  c: {
    var: { workspace, now, timeZone },
  },
}) => {
  const path = `/dashboard/${workspace.id}/test-mode`;
  if (!hasRole(workspace.role, "admin")) return <p class="hint">An admin of the workspace moves the clock.</p>;
  return (
    <>
      <form method="post" action={`${path}/advance`} class="card stack">
        <h2>Move the clock</h2>
        <p class="hint">It is {formatInstant(now, timeZone)}. The clock goes forward only.</p>
        <div class="row">
          <label for="count">By</label>
          <input id="count" name="count" type="number" min={1} max={MOST} value="1" required />
          <label class="visually-hidden" for="unit">
            Unit
          </label>
          <select id="unit" name="unit">
            {Object.keys(UNITS).map((unit) => (
              <option value={unit} selected={unit === "hours"}>
                {unit}
              </option>
            ))}
          </select>
          <button class="primary" type="submit">
            Move the clock
          </button>
        </div>
        <p class="hint">What falls due on the way runs in order: posts, retries, webhooks, checks.</p>
      </form>
      <section class="card stack">
        <h2>Empty test mode</h2>
        <p class="hint">
          Deletes everything in test mode and sets the clock back. Keys and the time zone stay, and accounts keep their
          ids.
        </p>
        <ActionForm
          action={`${path}/reset`}
          question="Empty test mode? Its posts, files, webhooks and events are deleted. This cannot be undone."
          buttonClass="danger"
        >
          Empty test mode
        </ActionForm>
      </section>
    </>
  );
};

async function openTestMode(c: PageContext): Promise<Response> {
  const { services, workspace } = c.var;
  const { ownerId, workspaceId, sandbox } = workspace.actor.scope;
  if (sandbox) throw new PageError(409, "This is test mode already.");
  const { scopeId } = await openSandbox(openAudited(c, "test-mode.open"), services.env.tokenKeys, {
    ownerId,
    workspaceId,
  });
  return c.redirect(`/dashboard/${scopeId}/queue`, 303);
}

const Advance = z.object({
  count: z.coerce.number().int().min(1).max(MOST),
  unit: z.enum(Object.keys(UNITS) as [keyof typeof UNITS]),
});

async function advance(c: PageContext): Promise<Response> {
  const parsed = Advance.safeParse(await c.req.parseBody());
  if (!parsed.success) throw new PageError(400, `Choose a whole number from 1 to ${MOST}.`);
  const { count, unit } = parsed.data;
  return redirectWithNotice(c, "test-mode", async () => {
    const body = { seconds: count * UNITS[unit] };
    const work = runOperation<z.output<typeof SandboxAdvanced>>(c, advanceSandbox, { body });
    const { now, ran, more } = await work.catch((error: unknown) => {
      throw toApiError(error)?.code === "invalid_payload" ? apiError("invalid_payload", TOO_FAR) : error;
    });
    const posts = new Set(ran.filter(({ what }) => what === "post").map(({ id }) => id)).size;
    const others = ran.filter(({ what }) => what !== "post").length;
    const time = formatInstant(new Date(now), c.var.timeZone);
    const done = `It is ${time}. ${posts} ${posts === 1 ? "post" : "posts"} and ${others} other ${others === 1 ? "job" : "jobs"} ran.`;
    return more ? `${done} There was more than one request can run: move the clock again.` : done;
  });
}

function reset(c: PageContext): Promise<Response> {
  return redirectWithNotice(c, "test-mode", async () => {
    await runOperation(c, resetSandbox, {});
    return "Test mode is empty, and its clock is at real time.";
  });
}

export const testModePages: Page[] = [
  { id: "test-mode.show", method: "GET", path: "/test-mode", role: "viewer", handle: showTestMode },
  { id: "test-mode.open", method: "POST", path: "/test-mode/open", role: "editor", handle: openTestMode },
  { id: "test-mode.advance", method: "POST", path: "/test-mode/advance", role: "admin", handle: advance },
  { id: "test-mode.reset", method: "POST", path: "/test-mode/reset", role: "admin", handle: reset },
];
