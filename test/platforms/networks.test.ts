// The levers of the network stand-ins, as a test from outside pulls them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Networks, startNetworks } from "../local/networks/server.ts";

describe("network stand-ins", () => {
  let networks: Networks;
  beforeAll(async () => {
    networks = await startNetworks({});
  });
  afterAll(() => networks.close());

  const lever = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(networks.url + path, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test.each([
    [{ network: "myspace", answer: "429" }, /network must be one of tiktok, instagram/],
    [{ network: "tiktok", answer: "shrug" }, /answer must be one of refuse/],
    [{ network: "tiktok", answer: "429", call: "media_publish" }, /call must be one of creator_info/],
    [{ network: "tiktok", answer: "429", time: 1 }, /Unknown key time/],
    [{ network: "tiktok", answer: "429", times: -1 }, /times must be/],
  ])("422 names what is wrong with %j", async (script, message) => {
    const { status, body } = await lever("POST", "/_behave", script);
    expect(status).toBe(422);
    expect(body.error).toMatch(message);
  });

  test("200 scripts the next answers, each of them once", async () => {
    await lever("PUT", "/_accounts", { platform: "instagram", externalId: "1", accessToken: "t" });
    await lever("POST", "/_behave", { network: "instagram", times: 2, answer: "refuse", code: "190" });
    const ask = () => lever("GET", "/instagram/v24.0/1/content_publishing_limit?access_token=t");
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([401, 401, 200]);
  });

  test("401 for a token that no account has", async () => {
    const { status, body } = await lever("POST", "/tiktok/v2/post/publish/creator_info/query/", {});
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: "access_token_invalid", log_id: expect.any(String) } });
  });

  test("200 lists what was published, and empties on request", async () => {
    expect((await lever("GET", "/_published")).body).toMatchObject({ tiktok: [], instagram: [] });
    expect((await lever("DELETE", "/_published")).status).toBe(200);
  });
});
