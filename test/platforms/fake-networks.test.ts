// The control endpoints of the fake networks, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Networks, startNetworks } from "../local/networks/server.ts";

describe("fake networks", () => {
  let networks: Networks;
  beforeAll(async () => {
    networks = await startNetworks({});
  });
  afterAll(() => networks.close());

  const control = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: "Bearer t",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(networks.url + path, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test.each([
    [{ network: "myspace", answer: "429" }, /network must be one of tiktok, instagram/],
    [{ network: "tiktok", answer: "shrug" }, /answer must be one of refuse/],
    [{ network: "tiktok", answer: "429", call: "media_publish" }, /call must be one of creator_info/],
    [{ network: "tiktok", answer: "429", time: 1 }, /Unknown key time/],
    [{ network: "tiktok", answer: "429", times: -1 }, /times must be/],
  ])("422 explains what is wrong with %j", async (script, message) => {
    const { status, body } = await control("POST", "/_behave", script);
    expect(status).toBe(422);
    expect(body.error).toMatch(message);
  });

  test("200 scripts the next responses, each used once", async () => {
    await control("PUT", "/_accounts", { platform: "instagram", externalId: "1", accessToken: "t" });
    await control("POST", "/_behave", { network: "instagram", times: 2, answer: "refuse", code: "190" });
    const readQuota = () => control("GET", "/instagram/v24.0/1/content_publishing_limit");
    expect([(await readQuota()).status, (await readQuota()).status, (await readQuota()).status]).toEqual([
      401, 401, 200,
    ]);
  });

  test("401 for an unknown token", async () => {
    const { status, body } = await control("POST", "/tiktok/v2/post/publish/creator_info/query/", {});
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: "access_token_invalid", log_id: expect.any(String) } });
  });

  test("200 lists published posts, and clears them on request", async () => {
    expect((await control("GET", "/_published")).body).toMatchObject({ tiktok: [], instagram: [] });
    expect((await control("DELETE", "/_published")).status).toBe(200);
  });
});
