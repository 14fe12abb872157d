// Sessions of the Bluesky driver on a real server (PDS).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import type { Job } from "../../lib/platforms/platform.ts";
import { at } from "../../lib/shared/at.ts";
import { expectFailure, publishToEnd } from "../platforms/publish-to-end.ts";
import { findMissing } from "./install.ts";
import { openJob, text } from "./jobs.ts";
import { type PdsAccount, type RunningPds, startPds } from "./start-pds.ts";

const missing = findMissing();
if (missing) console.warn(`Skipped: there is no Bluesky server here: ${missing}.`);

describe.skipIf(missing !== null)("bluesky sessions on a real server", () => {
  let pds: RunningPds;
  let accounts = 0;
  beforeAll(async () => {
    pds = await startPds();
  });
  afterAll(() => pds?.close());

  const createAccount = () => {
    accounts += 1;
    return pds.createAccount(`signer${accounts}`);
  };
  const openSession = async (account?: PdsAccount): Promise<{ account: PdsAccount; job: Job }> => {
    const own = account ?? (await createAccount());
    const network = { baseUrl: "http://127.0.0.1:9", clientId: "", clientSecret: "", directoryUrl: pds.directoryUrl };
    return { account: own, job: openJob(own, network, text("Signed in")) };
  };
  const publishWith = (job: Job, accessToken: string) =>
    publishToEnd(bluesky, { ...job, connection: { ...job.connection, accessToken } });

  test("a refresh returns tokens that publish", async () => {
    const { account, job } = await openSession();
    const fresh = await bluesky.refresh(job.network, account, job);
    expect(fresh.refreshToken).not.toBe(account.refreshToken);
    expect((fresh.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_600_000);
    expect((await publishWith(job, fresh.accessToken)).state).toBe("published");
    const next = await bluesky.refresh(job.network, fresh, job);
    expect((await publishWith({ ...job, deliveryId: "next" }, next.accessToken)).state).toBe("published");
  });

  test("an app password creates a session whenever one is needed", async () => {
    const { account, job } = await openSession();
    const { password } = await pds.call("POST", "com.atproto.server.createAppPassword", {
      token: account.accessToken,
      json: { name: "publishing" },
    });
    const tokens = { accessToken: account.accessToken, refreshToken: String(password) };
    const fresh = await bluesky.refresh(job.network, tokens, job);
    expect(fresh.refreshToken).toBeNull();
    expect((await publishWith(job, fresh.accessToken)).state).toBe("published");
  });

  test("a wrong app password asks for a new connection", async () => {
    const { account, job } = await openSession();
    const tokens = { accessToken: account.accessToken, refreshToken: "aaaa-bbbb-cccc-dddd" };
    const failed = await expectFailure(bluesky.refresh(job.network, tokens, job));
    expect(failed).toMatchObject({ class: "auth", code: "authentication_required" });
  });

  test("a session that its owner ended asks for a new connection", async () => {
    const { account, job } = await openSession();
    await pds.call("POST", "com.atproto.server.deleteSession", { token: account.refreshToken });
    const failed = await expectFailure(bluesky.refresh(job.network, account, job));
    expect(failed).toMatchObject({ class: "auth", code: "expired_token" });
  });

  test("a token that is none is an auth failure, and nothing is published", async () => {
    const { account, job } = await openSession();
    for (const token of ["no-token", account.refreshToken]) {
      expect((await expectFailure(publishWith(job, token))).class).toBe("auth");
    }
    const query = { repo: account.did, collection: "app.bsky.feed.post" };
    expect((await pds.call("GET", "com.atproto.repo.listRecords", { query })).records).toEqual([]);
  });

  test("a deactivated account is an account failure", async () => {
    const { account, job } = await openSession();
    await pds.call("POST", "com.atproto.server.deactivateAccount", { token: account.accessToken, json: {} });
    const failed = await expectFailure(publishToEnd(bluesky, job));
    expect(failed).toMatchObject({ class: "account", code: "account_deactivated" });
  });

  test("an account that its server does not know is an account failure", async () => {
    const { job } = await openSession();
    const connection = { ...job.connection, externalId: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa" };
    const failed = await expectFailure(publishToEnd(bluesky, { ...job, connection }));
    expect(failed).toMatchObject({ class: "account", code: "did_not_found" });
  });

  test("the token for the video service is issued for this server and for one hour at most", async () => {
    const { account } = await openSession();
    const { did } = await pds.call("GET", "com.atproto.server.describeServer");
    const query = {
      aud: String(did),
      lxm: "com.atproto.repo.uploadBlob",
      exp: String(Math.floor(Date.now() / 1000) + 1800),
    };
    const { token } = await pds.call("GET", "com.atproto.server.getServiceAuth", { token: account.accessToken, query });
    const claims = JSON.parse(Buffer.from(at(String(token).split("."), 1), "base64url").toString()) as unknown;
    expect(claims).toMatchObject({ iss: account.did, aud: did, lxm: "com.atproto.repo.uploadBlob" });
  });
});
