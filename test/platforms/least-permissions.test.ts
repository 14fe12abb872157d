// The first post on every network with the least permissions that its documentation names as enough.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectors } from "../../lib/platforms/connectors.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { LINKEDIN_PAGES_SCOPES } from "../../lib/platforms/oauth-apps.ts";
import type { Content } from "../../lib/platforms/platform.ts";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import type { NetworkAccount } from "../../lib/simulator/networks/network.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { createApps, toOwnApp } from "../local/networks/apps.ts";
import { FREE_CALLS, listLeastScopes, listOptionalScopes, PERMISSIONS } from "../local/networks/permissions/table.ts";
import { createFakes } from "../local/networks/server.ts";
import { images, text, video } from "./content.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, publishToEnd } from "./publish-to-end.ts";
import { openTestNetwork } from "./test-network.ts";

type As = "member" | "page";
type Setup = Awaited<ReturnType<typeof openTestNetwork>>;

const SETTINGS: Partial<Record<Platform, Record<string, unknown>>> = {
  tiktok: { privacy_level: "SELF_ONLY" },
  pinterest: { board_id: DEFAULT_BOARD_ID },
};
const SHAPE = { durationMs: 20_000, width: 1080, height: 1920 };

const KINDS: Record<string, (media: MediaHost, settings: Record<string, unknown>) => Content> = {
  text: (_media, settings) => text("Hello", settings),
  image: (media, settings) => images(media, ["a.jpg"], settings),
  carousel: (media, settings) => images(media, ["a.jpg", "b.jpg"], settings),
  video: (media, settings) => video(media, "clip.mp4", settings, SHAPE),
};
/** The kinds that a network does not have. */
const ABSENT: Partial<Record<Platform, string[]>> = {
  tiktok: ["text"],
  instagram: ["text"],
  pinterest: ["text"],
  youtube: ["text", "image", "carousel"],
};
const NETWORKS: [Platform, As][] = PLATFORMS.flatMap((platform): [Platform, As][] =>
  platform === "linkedin"
    ? [
        [platform, "member"],
        [platform, "page"],
      ]
    : [[platform, "member"]],
);
const CELLS = NETWORKS.flatMap(([platform, as]) =>
  Object.keys(KINDS)
    .filter((kind) => !ABSENT[platform]?.includes(kind))
    .map((kind): [Platform, As, string] => [platform, as, kind]),
);

const setups = new Map<Platform, Setup>();
beforeAll(async () => {
  const media = { "a.jpg": 4_000, "b.jpg": 5_000, "clip.mp4": 50_000 };
  for (const platform of PLATFORMS) {
    const driver = drivers[platform];
    if (driver) setups.set(platform, await openTestNetwork(driver, media));
  }
});
afterAll(() => Promise.all([...setups.values()].map((setup) => setup.close())));

/** Publishes as a new account whose token has these scopes. */
function openJob(platform: Platform, kind: string, account: Partial<NetworkAccount>, as: As = "member") {
  const setup = setups.get(platform) as Setup;
  const base = {
    ...setup.account,
    ...(as === "member" && platform === "linkedin" ? { externalId: "urn:li:person:ann" } : {}),
  };
  const owner = { ...base, accessToken: `${platform}-${as}-${kind}-${Math.random()}`, ...account };
  setup.networks.register(owner);
  const job = setup.job(KINDS[kind]?.(setup.media, SETTINGS[platform] ?? {}) ?? text(""));
  const { externalId, accessToken } = owner;
  return {
    setup,
    driver: drivers[platform],
    job: { ...job, connection: { ...job.connection, externalId, accessToken } },
  };
}

test.each(PLATFORMS)("every call of %s names the permission it needs, and its source", (platform) => {
  const fake = createFakes({ processingMs: 0, processingPolls: 0, publicIdDelayMs: 0 }, "secret", createApps()).find(
    (one) => one.platform === platform,
  );
  const known = new Set([
    ...PERMISSIONS[platform].flatMap(({ calls }) => calls.map((call) => call.replace(/ .*$/, ""))),
    ...FREE_CALLS[platform],
  ]);
  const calls = (fake?.calls ?? []).filter(
    (call) => call !== "consent" && !call.startsWith("oauth/") && !known.has(call),
  );
  expect(calls.filter((call) => !/^\/?\.well-known/.test(call))).toEqual([]);
  for (const { source } of PERMISSIONS[platform]) expect(source).toMatch(/^https:\/\//);
});

test.each(PLATFORMS)("%s: a consent asks for the least that connecting and publishing need", (platform) => {
  expect(connectors[platform].scopes.toSorted()).toEqual(listLeastScopes(platform).toSorted());
  if (platform === "linkedin") {
    expect(LINKEDIN_PAGES_SCOPES.toSorted()).toEqual(listLeastScopes(platform, "page").toSorted());
  }
});

test("the table of GOING_LIVE.md names every optional permission", () => {
  const text = readFileSync(join(import.meta.dirname, "../../.github/GOING_LIVE.md"), "utf8");
  const rows = text.matchAll(/^\| `(\w+_SCOPES)` \| `([^`]+)` \|/gm);
  const documented = [...rows].map(([, setting, scope]) => `${setting} ${scope}`);
  const optional = NETWORKS.flatMap(([platform, as]) => {
    const setting = `${platform.toUpperCase()}${as === "page" ? "_PAGES" : ""}_SCOPES`;
    return listOptionalScopes(platform, as).map((scope) => `${setting} ${scope}`);
  });
  expect(documented.toSorted()).toEqual(optional.toSorted());
});

test("the table of NETWORKS.md names the same permissions", () => {
  const text = readFileSync(join(import.meta.dirname, "../../.github/NETWORKS.md"), "utf8");
  const [, table = ""] = /\n\| Network \| Connect \|.*\n.*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const toLine = (scopes: string[]) => [...new Set(scopes)].toSorted().join(" ");
  const rows = table.trim().split("\n");
  const documented = rows.map((row) => toLine([...row.matchAll(/`([^`]+)`/g)].map(([, scope = ""]) => scope)));
  const least = NETWORKS.map(([platform, as]) =>
    toLine(listLeastScopes(platform, as).map((scope) => scope.replace("https://www.googleapis.com/auth/", ""))),
  );
  expect(documented.toSorted()).toEqual(least.toSorted());
});

describe("the first post", () => {
  test.each(CELLS)("%s (%s): %s is published with the least permissions", async (platform, as, kind) => {
    const { setup, driver, job } = openJob(platform, kind, { scopes: listLeastScopes(platform, as) }, as);
    await setup.reset();
    expect(await publishToEnd(driver as never, job)).toMatchObject({ state: "published" });
    expect(setup.networks.published()[platform]).toHaveLength(1);
  });

  test.each(CELLS)("%s (%s): %s is not published without them, and the account is told", async (platform, as, kind) => {
    const { setup, driver, job } = openJob(platform, kind, { scopes: ["none"] }, as);
    await setup.reset();
    const failed = await expectFailure(publishToEnd(driver as never, job));
    expect(["account", "auth"]).toContain(failed.class);
    expect(setup.networks.published()[platform]).toEqual([]);
  });
});

describe("an app that the network has not opened, or has closed", () => {
  test.each([
    ["tiktok", "over_cap", "video", { class: "rate_limited", operator: true }],
    ["tiktok", "over_cap", "image", { class: "rate_limited", operator: true }],
    ["twitter", "out_of_credits", "text", { operator: true }],
    ["twitter", "out_of_credits", "image", { operator: true }],
    ["pinterest", "trial", "image", { operator: true }],
  ] as const)("%s %s: a %s alerts the operator, and another app publishes", async (platform, state, kind, expected) => {
    const [closed, open] = [toOwnApp("closed"), toOwnApp("open")];
    const { setup, driver, job } = openJob(platform, kind, { app: closed.id });
    await setup.reset();
    setup.networks.registerApp({ ...closed, states: { [platform]: state } });
    const failed = await expectFailure(publishToEnd(driver as never, job));
    expect(failed).toMatchObject(expected);
    expect(failed.message).not.toMatch(/reconnect/i);
    expect(setup.networks.published()[platform]).toEqual([]);
    const other = openJob(platform, kind, { app: open.id });
    expect(await publishToEnd(other.driver as never, other.job)).toMatchObject({ state: "published" });
  });

  test.each([
    ["SELF_ONLY", true],
    ["PUBLIC_TO_EVERYONE", false],
  ])("an unaudited TikTok app may post %s: %s", async (privacy_level, mayPost) => {
    const app = toOwnApp("unaudited");
    const { setup, driver, job } = openJob("tiktok", "video", { app: app.id });
    setup.networks.registerApp({ ...app, states: { tiktok: "unaudited" } });
    const work = publishToEnd(driver as never, { ...job, content: { ...job.content, settings: { privacy_level } } });
    if (mayPost) expect(await work).toMatchObject({ state: "published" });
    else
      expect(await expectFailure(work)).toMatchObject({
        operator: true,
        message: expect.stringMatching(/not audited/),
      });
  });
});
