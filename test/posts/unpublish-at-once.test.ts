// Takedowns of one post at the same time: each network is called once.
import pg from "pg";
import { expect, test } from "vitest";
import { listCalls, publishTo, readPost, unpublish } from "./published-post.ts";

test("ten requests at once call each network once; the others are 200 or 409 and lose nothing", async () => {
  const setting = await publishTo(["twitter", "facebook", "bluesky"]);
  const responses = await Promise.all(Array.from({ length: 10 }, () => unpublish(setting)));
  for (const { status, body } of responses) {
    expect([`200`, "409 post_in_flight"]).toContain(status === 200 ? "200" : `${status} ${body.error_code}`);
  }
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect((await readPost(setting)).status).toBe("deleted");
  const removals = (await listCalls(setting)).filter(({ call }) => /delete/i.test(call));
  expect(removals).toHaveLength(3);
});

/** A Postgres server with several connections; the embedded one has a single connection. */
const server = process.env.LOCAL_POSTGRES_URL;

test.skipIf(!server)(
  "200 already_gone without a call, when another request took it down while this one waited",
  async () => {
    const setting = await publishTo(["twitter", "facebook"]);
    const before = await listCalls(setting);
    const [other, observer] = [new pg.Client(server), new pg.Client(server)];
    await Promise.all([other.connect(), observer.connect()]);
    try {
      await other.query("begin");
      const values = "status = 'deleted', stage = 'done'";
      await other.query(`update post_deliveries set ${values} where post_id = $1`, [setting.postId]);
      const waiting = unpublish(setting);
      await expect.poll(() => countWaiting(observer)).toBeGreaterThan(0);
      await other.query("commit");
      const { body } = await waiting;
      expect(body.data.results.map(({ result }: { result: string }) => result)).toEqual([
        "already_gone",
        "already_gone",
      ]);
      expect(await listCalls(setting)).toEqual(before);
    } finally {
      await Promise.all([other.end(), observer.end()]);
    }
  },
);

/** Statements that wait for a lock of deliveries. A transaction sees one state of the view, so the client has none. */
async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%ed_deliveries as (%'`,
  );
  return rows.length;
}
