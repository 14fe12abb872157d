// Settings of single networks: each reaches the network once, in the network's own form.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import { instagram } from "../../lib/platforms/instagram/driver.ts";
import { pinterest } from "../../lib/platforms/pinterest/driver.ts";
import type { Content, Driver, Violation } from "../../lib/platforms/platform.ts";
import { tiktok } from "../../lib/platforms/tiktok/driver.ts";
import { youtube } from "../../lib/platforms/youtube/driver.ts";
import { DEFAULT_BOARD_ID, DEFAULT_SECTIONS } from "../../lib/simulator/networks/pinterest-boards.ts";
import { DEFAULT_PLAYLISTS } from "../../lib/simulator/networks/youtube-playlists.ts";
import { listLeastScopes } from "../local/networks/permissions/table.ts";
import { images, text, video } from "./content.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { openTestNetwork, useTestNetwork } from "./test-network.ts";

const MEDIA = { "clip.mp4": 3_000, "a.jpg": 4_000, "b.jpg": 5_000, "c.jpg": 6_000 };
type Settings = Record<string, unknown>;
type Make = (media: MediaHost, settings: Settings) => Content;

const clip: Make = (media, settings) => video(media, "clip.mp4", settings);
const one: Make = (media, settings) => images(media, ["a.jpg"], settings);
const three: Make = (media, settings) => images(media, ["a.jpg", "b.jpg", "c.jpg"], settings);

const tags = [{ username: "@ann", x: 0.25, y: 1 }];
const placed = '[{"username":"ann","x":0.25,"y":1}]';
const [playlist, second] = DEFAULT_PLAYLISTS.map(({ id }) => id);
const section = DEFAULT_SECTIONS[0]?.id;
const board = { board_id: DEFAULT_BOARD_ID };

type Case = [what: string, driver: Driver, make: Make, settings: Settings, expected: object];

const CASES: Case[] = [
  ["instagram tags in an image", instagram, one, { user_tags: tags }, { media: [{ tags: placed }] }],
  ["instagram tags in the first image", instagram, three, { user_tags: tags }, { media: [{ tags: placed }, {}, {}] }],
  ["instagram tags in a reel", instagram, clip, { user_tags: tags }, { media: [{ tags: '[{"username":"ann"}]' }] }],
  [
    ...(["instagram tags in a story", instagram, clip] as const),
    ...([{ user_tags: tags, post_type: "story" }, { media: [{ tags: placed }] }] as const),
  ],
  ["instagram place", instagram, three, { location_id: "7640348500" }, { settings: { location_id: "7640348500" } }],
  ["instagram audio", instagram, clip, { audio_name: "North wind" }, { settings: { audio_name: "North wind" } }],
  ["instagram AI label", instagram, three, { is_ai_generated: true }, { settings: { is_ai_generated: "true" } }],
  ["tiktok cover", tiktok, three, { photo_cover_index: 2 }, { settings: { photo_cover_index: 2 } }],
  [
    ...(["pinterest section", pinterest, one, { ...board, board_section_id: section }] as const),
    { settings: { ...board, board_section_id: section } },
  ],
  ["youtube license", youtube, clip, { license: "creativeCommon" }, { settings: { license: "creativeCommon" } }],
  ["youtube embedding", youtube, clip, { embeddable: false }, { settings: { embeddable: false } }],
  ["youtube silence", youtube, clip, { notify_subscribers: false }, { settings: { notifySubscribers: false } }],
  [
    ...(["youtube playlists", youtube, clip, { playlist_ids: [playlist, second, playlist] }] as const),
    { settings: { playlists: [playlist, second] } },
  ],
  [
    ...(["bluesky languages", bluesky, one, { languages: ["en", "pt-BR"] }] as const),
    { settings: { langs: ["en", "pt-BR"] } },
  ],
  ["bluesky nobody replies", bluesky, one, { reply_control: "nobody" }, { settings: { threadgate: [] } }],
  [
    ...(["bluesky followed reply", bluesky, one, { reply_control: "following" }] as const),
    { settings: { threadgate: [{ $type: "app.bsky.feed.threadgate#followingRule" }] } },
  ],
];

/** Playlists need a permission that publishing does not. */
const YOUTUBE_SCOPES = ["upload", "readonly", "force-ssl"].map(
  (name) => `https://www.googleapis.com/auth/youtube.${name}`,
);

async function openNetwork(driver: Driver) {
  const setup = await openTestNetwork(driver, MEDIA);
  if (driver === youtube) setup.networks.register({ ...setup.account, scopes: YOUTUBE_SCOPES });
  return setup;
}

describe.each([instagram, tiktok, pinterest, youtube, bluesky])("$platform", (driver) => {
  let setup: Awaited<ReturnType<typeof openTestNetwork>>;
  const published = () => setup.networks.published()[driver.platform] ?? [];
  beforeAll(async () => {
    setup = await openNetwork(driver);
  });
  afterAll(() => setup.close());
  beforeEach(() => setup.reset());

  test.each(CASES.filter(([, own]) => own === driver))("%s", async (_what, _driver, make, settings, expected) => {
    const result = await publishToEnd(driver, setup.job(make(setup.media, settings)));
    expect(result).toMatchObject({ state: "published" });
    expect(result).not.toHaveProperty("warnings");
    expect(published()).toHaveLength(1);
    expect(published()[0]).toMatchObject(expected);
  });
});

describe("what a post of this kind does not have is named", () => {
  const media = { url: (name: string) => `https://media.example/${name}` } as MediaHost;
  test.each<[Driver, Make, Settings, Partial<Violation>]>([
    [instagram, one, { audio_name: "x" }, { path: "settings.instagram.audio_name", code: "setting_not_allowed" }],
    [
      ...([instagram, clip, { location_id: "1", post_type: "story" }] as const),
      { path: "settings.instagram.location_id", code: "setting_not_allowed" },
    ],
    [tiktok, clip, { photo_cover_index: 0 }, { path: "tiktok.photo_cover_index", code: "cover_not_allowed" }],
    [
      ...([tiktok, three, { photo_cover_index: 3 }] as const),
      { path: "tiktok.photo_cover_index", code: "cover_not_allowed", limit: 2, actual: 3 },
    ],
  ])("%#", (driver, make, settings, expected) => {
    expect(driver.validate?.(make(media, settings))).toMatchObject([expected]);
  });
});

describe("playlists", () => {
  let setup: Awaited<ReturnType<typeof openTestNetwork>>;
  const published = () => setup.networks.published().youtube ?? [];
  const publish = (ids: unknown[]) => publishToEnd(youtube, setup.job(clip(setup.media, { playlist_ids: ids })));
  beforeAll(async () => {
    setup = await openNetwork(youtube);
  });
  afterAll(() => setup.close());
  beforeEach(() => setup.reset());

  test("a video is in a playlist once, also when the answer to its insertion is lost", async () => {
    setup.networks.addScript({ network: "youtube", call: "playlistItems.insert", answer: "drop_after" });
    expect(await publish([playlist])).not.toHaveProperty("warnings");
    expect(published()[0]?.settings.playlists).toEqual([playlist]);
  });

  test("a poll that is repeated adds nothing", async () => {
    const job = setup.job(clip(setup.media, { playlist_ids: [playlist] }));
    const sent = await youtube.publish(job, await startUntilReady(youtube, job));
    if (sent.state !== "sent") throw new Error("expected sent");
    await pollUntilDone((current) => youtube.poll(job, current), sent.handle);
    expect(published()[0]?.settings.playlists).toEqual([playlist]);
    for (let polls = 0; polls < 3; polls++) await youtube.poll(job, sent.handle);
    expect(published()[0]?.settings.playlists).toEqual([playlist]);
  });

  test.each([
    ["playlistNotFound", /has no such playlist/],
    ["insufficientPermissions", /Connect the channel again/],
    ["quotaExceeded", /YouTube allows no more requests at the moment\./],
  ])("%s is a warning of the published video", async (code, why) => {
    setup.networks.addScript({ network: "youtube", call: "playlistItems.insert", answer: "refuse", code });
    const { state, warnings } = await publish([playlist, second]);
    expect(state).toBe("published");
    expect(warnings).toEqual([{ code: "playlist_not_set", message: expect.stringMatching(why) }]);
    expect(published()[0]?.settings.playlists).toEqual([second]);
  });
});

test("a channel that was connected without the permission publishes, and says what it lacks", async () => {
  const setup = await openTestNetwork(youtube, MEDIA);
  setup.networks.register({ ...setup.account, scopes: listLeastScopes("youtube") });
  const job = setup.job(clip(setup.media, { playlist_ids: [playlist] }));
  const { state, warnings } = await publishToEnd(youtube, job);
  expect([state, warnings]).toEqual(["published", [expect.objectContaining({ code: "playlist_not_set" })]]);
  await setup.close();
});

describe("bluesky", () => {
  const setup = useTestNetwork(bluesky, MEDIA);

  test("a post and the rule of its replies are written together, or not at all", async () => {
    const job = setup.job(text("Hello", { reply_control: "mentioned" }));
    const handle = await startUntilReady(bluesky, job);
    setup.networks.addScript({ network: "bluesky", call: "applyWrites", answer: "drop_after" });
    expect(await expectFailure(bluesky.publish(job, handle))).toMatchObject({ class: "unanswered" });
    const found = await bluesky.reconcile(job, handle);
    expect(found.state).toBe("published");
    expect(await expectFailure(bluesky.publish(job, handle))).toMatchObject({ class: "unanswered" });
    const items = setup.networks.published().bluesky ?? [];
    expect(items).toHaveLength(1);
    expect(items[0]?.settings.threadgate).toEqual([{ $type: "app.bsky.feed.threadgate#mentionRule" }]);
  });
});
