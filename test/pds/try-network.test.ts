// `npm run admin -- try-network bluesky` against a real server (PDS).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tryNetwork } from "../../functions/commands/try-network/try-network.ts";
import { findMissing } from "./install.ts";
import { type PdsAccount, type RunningPds, startPds } from "./start-pds.ts";

const missing = findMissing();
if (missing) console.warn(`Skipped: there is no Bluesky server here: ${missing}.`);

describe.skipIf(missing !== null)("try-network on a real server", () => {
  let pds: RunningPds;
  let account: PdsAccount;
  let password: string;
  beforeAll(async () => {
    pds = await startPds();
    account = await pds.createAccount("first-author");
    const created = await pds.call("POST", "com.atproto.server.createAppPassword", {
      token: account.accessToken,
      json: { name: "try-network" },
    });
    password = String(created.password);
  });
  afterAll(() => pds?.close());

  async function run(...more: string[]) {
    const lines: string[] = [];
    const env = {
      BLUESKY_SERVICE: pds.url,
      BLUESKY_DIRECTORY: pds.directoryUrl,
      BLUESKY_IDENTIFIER: account.handle,
      BLUESKY_PASSWORD: password,
    };
    const options = { env, log: (line: string) => void lines.push(line), sleep: () => Promise.resolve() };
    return { code: await tryNetwork(["bluesky", ...more], options), output: lines.join("\n") };
  }

  async function listTexts(): Promise<unknown[]> {
    const query = { repo: account.did, collection: "app.bsky.feed.post" };
    const { records } = await pds.call("GET", "com.atproto.repo.listRecords", { query });
    return (records as { value: { text: string } }[]).map(({ value }) => value.text);
  }

  test("the post is published, read back and deleted, and no secret is printed", async () => {
    const { code, output } = await run();
    expect(output).toContain("OK. The post was published, read back and deleted.");
    expect(code).toBe(0);
    expect(output).not.toContain(password);
    expect(output).not.toMatch(/eyJ[\w-]+\./);
    expect(await listTexts()).toEqual([]);
  });

  test("--keep leaves the post", async () => {
    expect((await run("--keep")).code).toBe(0);
    expect(await listTexts()).toEqual(["A test of our publishing software. It will be deleted."]);
  });
});
