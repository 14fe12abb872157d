// A request that a network's documentation does not know fails the test file that sends it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import { type Networks, startNetworks } from "../local/networks/server.ts";
import { takeMismatches, takeRequests } from "./check.ts";
import { references } from "./index.ts";
import { formatTable } from "./table.ts";

describe("references", () => {
  let networks: Networks;
  beforeAll(async () => {
    networks = await startNetworks({});
  });
  afterAll(() => networks.close());

  const send = async (method: string, path: string, type: string, body?: string) => {
    const headers = { authorization: "Bearer t", "content-type": type, "linkedin-version": "202608" };
    await fetch(networks.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return takeMismatches().join();
  };
  const JSON_TYPE = "application/json";
  const FORM = "application/x-www-form-urlencoded";

  // Each field or value is one that a driver could send by a wrong belief.
  test.each([
    ["/twitter/2/tweets", JSON_TYPE, { text: "x", media: { media_keys: ["1"] } }, /additional properties media_keys/],
    ["/twitter/2/tweets", JSON_TYPE, { text: "x", replySettings: "everyone" }, /additional properties replySettings/],
    ["/youtube/upload/youtube/v3/videos?part=status", JSON_TYPE, { status: { privacy: "x" } }, /properties privacy/],
    ["/pinterest/v5/pins", JSON_TYPE, { board_id: "1", image_url: "https://a.example" }, /properties image_url/],
    ["/pinterest/v5/pins", JSON_TYPE, { title: "x".repeat(101) }, /title must NOT have more than 100 characters/],
    ["/linkedin/rest/posts", JSON_TYPE, { text: "x" }, /must have required property 'commentary'/],
    ["/tiktok/v2/post/publish/status/fetch/", JSON_TYPE, { publishId: "1" }, /additional properties publishId/],
    ["/instagram/v24.0/1/media", FORM, { image: "https://a.example" }, /additional properties image/],
    ["/threads/v1.0/1/threads", FORM, { media_type: "PHOTO" }, /media_type must be equal to one of/],
    ["/facebook/v24.0/1/feed", FORM, { text: "x" }, /additional properties text/],
    ["/bluesky/xrpc/com.atproto.repo.createRecord", JSON_TYPE, { repo: "did:plc:x", text: "x" }, /text is not in/],
  ])("%s rejects what its description does not know (%s)", async (path, type, fields, expected) => {
    const body =
      type === FORM ? new URLSearchParams(fields as Record<string, string>).toString() : JSON.stringify(fields);
    expect(await send("POST", path, type, body)).toMatch(expected);
  });

  test.each(Object.keys(drivers))("an endpoint that %s does not document is a mismatch", async (network) => {
    expect(await send("POST", `/${network}/v9/1/invented`, JSON_TYPE, "{}")).toContain("no such operation");
  });

  test("a query parameter, a header and a type of body that are not documented are mismatches", async () => {
    expect(await send("GET", "/youtube/youtube/v3/videos?ids=1", JSON_TYPE)).toMatch(/additional properties ids/);
    expect(await send("DELETE", "/linkedin/rest/posts/urn", JSON_TYPE)).toMatch(/'x-restli-protocol-version'/);
    expect(await send("POST", "/threads/v1.0/1/threads", "text/plain", "x")).toMatch(/text\/plain is not documented/);
  });

  test("every driver has a reference, and every operation names the page that documents it", () => {
    const publishing = [...references.keys()].filter((network) => !network.endsWith("/consent"));
    expect(publishing.toSorted()).toEqual(Object.keys(drivers).toSorted());
    for (const { url, read, operations } of references.values()) {
      expect(read).toMatch(/^2026-\d\d-\d\d$/);
      for (const { source } of [{ source: url }, ...operations]) expect(source).toMatch(/^https:\/\/[\w.]+\/\S+$/);
    }
  });

  test("the table counts each request once, and only what its description knows", async () => {
    takeRequests();
    const pin = { board_id: "1", media_source: { source_type: "image_url", url: "https://a.example/a.jpg" } };
    for (const title of ["One", "Two"])
      await send("POST", "/pinterest/v5/pins", JSON_TYPE, JSON.stringify({ ...pin, title }));
    const requests = takeRequests();
    const table = formatTable([...requests, ...requests]);
    expect(table).toMatch(/\npinterest +1 requests, 1 of \d+ operations/);
    for (const network of references.keys()) expect(table).toContain(`\n${network} `);
  });
});
