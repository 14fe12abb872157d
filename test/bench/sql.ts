// The statements that a read sends to the database, taken from the Worker itself and sent again without it.
import functions from "../../functions/index.ts";
import { BASE_PATH } from "../../lib/paths.ts";
import type { KeyName } from "../local/seed.ts";
import type { Context } from "./section.ts";

interface Statement {
  body: string;
  headers: Headers;
}

/** Runs a GET once in this process, listens to what it asks of the database, and answers with a way to ask that again. */
export async function recordSql({ world }: Context, key: KeyName, path: string): Promise<() => Promise<unknown>> {
  const { DATABASE_FETCH_URL: url = "" } = world.vars;
  const request = () =>
    new Request(`http://bench.test${BASE_PATH}${path}`, {
      headers: { authorization: `Bearer ${world.seed.keys[key]}` },
    });
  const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
  const answer = () => functions.fetch(request(), { ...world.vars }, context);

  const statements: Statement[] = [];
  const [plain, print] = [globalThis.fetch, console.log];
  // The Worker logs each request as a line of JSON.
  console.log = () => undefined;
  try {
    // The first request of a key reads it ahead of the rest; the second one is the one to repeat.
    await answer();
    globalThis.fetch = (input, init) => {
      if (String(input) === url && typeof init?.body === "string") {
        statements.push({ body: init.body, headers: new Headers(init.headers) });
      }
      return plain(input, init);
    };
    const { status } = await answer();
    if (status !== 200 || statements.length === 0) throw new Error(`GET ${path} answered ${status} without SQL`);
  } finally {
    globalThis.fetch = plain;
    console.log = print;
  }
  return () => Promise.all(statements.map((statement) => send(url, statement)));
}

async function send(url: string, { body, headers }: Statement): Promise<void> {
  const answer = await fetch(url, { method: "POST", body, headers });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`The database answered ${answer.status}`);
}
