// Which server the requests of a Bluesky account go to: its DID document names it.
import { describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import type { Job } from "../../lib/platforms/platform.ts";
import { createJwt, SERVER } from "../../lib/simulator/networks/bluesky-protocol.ts";
import { expectFailure, publishToEnd } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const DOCUMENTED = { baseUrl: "https://bsky.social", clientId: "", clientSecret: "" };

function describeAccount(did: string, endpoint: string) {
  return {
    id: did,
    service: [
      { id: "#other", type: "Other", serviceEndpoint: "https://other.example.test" },
      { id: `${did}#atproto_pds`, type: "AtprotoPersonalDataServer", serviceEndpoint: endpoint },
    ],
  };
}

describe("the server of a bluesky account", () => {
  const setup = useTestNetwork(bluesky, { "a.jpg": 4_000, "clip.mp4": 2_000_000 });
  const requested: string[] = [];
  let jobs = 0;

  /** Serves `documents` by URL; the account's own server and the video service are the fake. */
  function openJob(did: string, documents: Record<string, unknown>): Job {
    requested.length = 0;
    jobs += 1;
    const job = setup.job({ caption: "At home", media: null, musicUrl: null, settings: {} });
    const answer = (via: string) => async (input: RequestInfo | URL, init?: RequestInit) => {
      const url = new URL(String(input));
      requested.push(`${via} ${url.host}${url.pathname}`);
      if (url.href in documents) {
        const document = documents[url.href];
        return document === null ? new Response("", { status: 404 }) : Response.json(document);
      }
      if (url.host === "pds.private.example") throw new Error("The host is not public.");
      return fetch(`${setup.networks.url}/bluesky${url.pathname}${url.search}`, init);
    };
    setup.networks.register({ ...setup.account, externalId: did });
    return {
      ...job,
      deliveryId: `delivery-${jobs}`,
      connection: { ...job.connection, externalId: did },
      network: DOCUMENTED,
      fetch: answer("direct"),
      fetchMedia: async (url, init) => (url.startsWith("http:") ? fetch(url, init) : answer("guarded")(url, init)),
    };
  }

  test("of a did:plc comes from the directory, and is reached at public addresses only", async () => {
    const did = "did:plc:home";
    const job = openJob(did, {
      "https://plc.directory/did%3Aplc%3Ahome": describeAccount(did, `https://${SERVER}`),
    });
    expect((await publishToEnd(bluesky, job)).state).toBe("published");
    expect(requested).toEqual([
      "direct plc.directory/did%3Aplc%3Ahome",
      `guarded ${SERVER}/xrpc/com.atproto.repo.createRecord`,
    ]);
  });

  test("of a did:web comes from that host, asked like any address that a stranger wrote", async () => {
    const did = "did:web:shop.example.com";
    const job = openJob(did, {
      "https://shop.example.com/.well-known/did.json": describeAccount(did, `https://${SERVER}`),
    });
    expect((await publishToEnd(bluesky, job)).state).toBe("published");
    expect(requested[0]).toBe("guarded shop.example.com/.well-known/did.json");
  });

  test("of another directory is found where the configuration says", async () => {
    const did = "did:plc:home";
    const url = "https://plc.example.com/did%3Aplc%3Ahome";
    const job = openJob(did, { [url]: describeAccount(did, `https://${SERVER}`) });
    await publishToEnd(bluesky, { ...job, network: { ...DOCUMENTED, directoryUrl: "https://plc.example.com" } });
    expect(requested[0]).toBe("direct plc.example.com/did%3Aplc%3Ahome");
  });

  test("is the audience of the token for the video service, which is asked directly", async () => {
    const did = "did:plc:home";
    const job = openJob(did, {
      "https://plc.directory/did%3Aplc%3Ahome": describeAccount(did, `https://${SERVER}`),
    });
    const video = { url: setup.media.url("clip.mp4"), mimeType: "video/mp4", bytes: null, durationMs: null };
    const media = { type: "video" as const, video: { ...video, width: 1080, height: 1920 } };
    expect((await publishToEnd(bluesky, { ...job, content: { ...job.content, media } })).state).toBe("published");
    expect(requested).toContain(`guarded ${SERVER}/xrpc/com.atproto.server.getServiceAuth`);
    expect(requested).toContain("direct video.bsky.app/xrpc/app.bsky.video.uploadVideo");
  });

  test("renews the session, too", async () => {
    const did = "did:plc:home";
    const job = openJob(did, {
      "https://plc.directory/did%3Aplc%3Ahome": describeAccount(did, `https://${SERVER}`),
    });
    const tokens = { accessToken: createJwt(Date.now(), did, "com.atproto.access", -60), refreshToken: "home-refresh" };
    setup.networks.register({ platform: "bluesky", externalId: did, ...tokens });
    const fresh = await bluesky.refresh(DOCUMENTED, tokens, job);
    expect(requested.at(-1)).toBe(`guarded ${SERVER}/xrpc/com.atproto.server.refreshSession`);
    expect(fresh).toMatchObject({ refreshToken: expect.any(String), refreshTokenExpiresAt: null });
  });

  test.each([
    ["an unknown account", null, "account", "did_not_found"],
    ["a document of another account", describeAccount("did:plc:other", `https://${SERVER}`), "account"],
    ["a document without a server", { id: "did:plc:home", service: [] }, "account", "account_without_server"],
    ["a server at a private address", describeAccount("did:plc:home", "https://pds.private.example"), "unanswered"],
  ])("%s publishes nothing", async (_what, document, expected, code = undefined) => {
    const job = openJob("did:plc:home", { "https://plc.directory/did%3Aplc%3Ahome": document });
    const failed = await expectFailure(publishToEnd(bluesky, job));
    expect(failed.class).toBe(expected);
    if (code) expect(failed.code).toBe(code);
  });
});
