// The last requests of an API key: what a program sent, and what it got. Bodies are stored nowhere.
import { listRequests } from "../../../lib/http/request-list.ts";
import { findKey } from "../../../lib/queries/key-management.ts";
import { RequestQuery } from "../../../lib/schemas/request.ts";
import { formatInstant } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { PageError } from "../session.ts";

const PAGE_SIZE = 100;

async function showRequests(c: PageContext): Promise<Response> {
  const { services, workspace, timeZone, now } = c.var;
  const key = await findKey(services.db, workspace.id, c.req.param("publicId") ?? "");
  if (!key) throw new PageError(404, "There is no such key in this workspace.");
  const query = RequestQuery.safeParse({ limit: String(PAGE_SIZE), ...c.req.query() });
  if (!query.success) throw new PageError(400, "This page is not part of the list. Open the first one.");
  const { requests, nextCursor } = await listRequests(services.redis, key.id, { ...query.data, now });
  return c.html(
    <Layout c={c} title={`Requests of ${key.name}`} active="keys">
      <p class="lead">
        The last thousand of seven days, newest first. Times are in {timeZone}. The number of a request is its
        X-Request-Id: give it to the people who run the service when something went wrong.
      </p>
      {requests.length === 0 ? (
        <Empty title="No requests in the last seven days">
          <p>The next request of this key appears here.</p>
        </Empty>
      ) : (
        <section class="scroll" tabindex={0} aria-label="Requests">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Request</th>
                <th scope="col">Result</th>
                <th scope="col">Number</th>
              </tr>
            </thead>
            <tbody>
              {requests.map(({ request_id, method, route, status, error_code, ms, at }) => (
                <tr>
                  <td>
                    <time datetime={at}>{formatInstant(new Date(at), timeZone)}</time>
                  </td>
                  <td>
                    <code>
                      {method} {route}
                    </code>
                  </td>
                  <td>
                    <span class={`badge ${status < 400 ? "valid" : "failed"}`}>{status}</span> {error_code}{" "}
                    <span class="hint">{ms} ms</span>
                  </td>
                  <td>
                    <code>{request_id}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {nextCursor && <Pager query={{ cursor: nextCursor }}>Earlier requests</Pager>}
    </Layout>,
  );
}

export const keyRequestPages: Page[] = [
  { id: "keys.requests", method: "GET", path: "/keys/:publicId/requests", role: "admin", handle: showRequests },
];
