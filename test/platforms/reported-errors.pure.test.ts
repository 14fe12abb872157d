// Errors of networks that users of other services reported: each has a class and a sentence that names the cure.
import { expect, test } from "vitest";
import { DIALECT } from "../../lib/platforms/facebook/errors.ts";
import { type Dialect, toMetaFailure } from "../../lib/platforms/meta.ts";
import { assertSuccess as assertPinterestSuccess } from "../../lib/platforms/pinterest/errors.ts";
import { type Failure, getFailure } from "../../lib/platforms/platform.ts";
import { toPublishFailure } from "../../lib/platforms/tiktok/errors.ts";
import { assertSuccess } from "../../lib/platforms/twitter/errors.ts";

const io = { fetch, now: () => new Date() };
const toResponse = (status: number, body: Record<string, unknown>) => ({ status, headers: new Headers(), body });

function readMeta(prefix: string, error: { code: number; error_subcode?: number; message: string }, dialect?: Dialect) {
  const { code, error_subcode: subcode = null } = error;
  return toMetaFailure(io, prefix, { code, subcode }, toResponse(400, { error }), dialect);
}

function readX(status: number, body: Record<string, unknown>): Failure | null {
  try {
    assertSuccess(io, toResponse(status, body));
    return null;
  } catch (error) {
    return getFailure(error);
  }
}

// https://github.com/gitroomhq/postiz-app/pull/1876, read 2026-11-30.
test("Instagram names a private account for a tag that it refuses", () => {
  const failed = readMeta("ig", { code: 110, error_subcode: 2207018, message: "Invalid user id" });
  expect(failed).toMatchObject({ class: "content", code: "ig_2207018" });
  expect(failed.message).toMatch(/tagged or invited as a collaborator is private/);
});

// 200 to 299: https://developers.facebook.com/docs/graph-api/guides/error-handling. Code 100 with this text:
// https://github.com/gitroomhq/postiz-app/commit/6784a283d. Read 2026-11-30.
test.each([
  ["fb", 283, "(#283) Requires pages_read_engagement permission to manage the object", DIALECT],
  ["fb", 210, "(#210) A page access token is required", DIALECT],
  ["fb", 100, "(#100) No permission to publish the video", DIALECT],
  ["ig", 230, "(#230) Requires instagram_business_content_publish permission", undefined],
  ["th", 299, "(#299) Requires threads_content_publish permission", undefined],
])("%s_%d is a permission that the account has not granted", (prefix, code, message, dialect) => {
  const failed = readMeta(prefix, { code, message }, dialect);
  expect(failed).toMatchObject({ class: "account", code: `${prefix}_${code}` });
  expect(failed.message).toMatch(/Reconnect it and allow/);
});

test("code 100 without that text stays an error of the post", () => {
  expect(readMeta("fb", { code: 100, message: "(#100) Invalid parameter" }, DIALECT)).toMatchObject({
    class: "content",
  });
});

// https://github.com/gitroomhq/postiz-app/pull/1875, read 2026-11-30: 1086 x 1448 among images that fit.
test("TikTok's error of picture sizes names the limit of photos, too", () => {
  expect(toPublishFailure(io, "picture_size_check_failed").message).toMatch(
    /Photos .* 1080 x 1920 .* video 360 to 4096/,
  );
});

// https://github.com/gitroomhq/postiz-app/commit/0d98fc02f and https://github.com/gptme/gptme-contrib/pull/1435, read 2026-11-30.
test.each([
  ["Posts can have a maximum of one cashtag ($SYMBOL).", "x_many_cashtags", /one cashtag/],
  ["You attempted to reply to a Tweet that is deleted or not visible to you.", "x_parent_missing", /no longer on X/],
])("X refuses %j for the text, not for the account", (detail, code, message) => {
  const failed = readX(403, { detail, type: "about:blank", title: "Forbidden", status: 403 });
  expect(failed).toMatchObject({ class: "content", code });
  expect(failed?.message).toMatch(message);
});

// https://github.com/plhery/node-twitter-api-v2/issues/501 (a large PNG) and https://github.com/tweepy/tweepy/issues/2016 (a
// codec), read 2026-11-30: X had stored both files a moment before.
test("X's invalid media ids do not say that the file is no longer stored", () => {
  const type = "https://api.twitter.com/2/problems/invalid-request";
  const failed = readX(400, { type, title: "Invalid Request", errors: [{ message: "Your media IDs are invalid." }] });
  expect(failed).toMatchObject({ class: "transient", code: "x_media_expired", restart: true });
  expect(failed?.message).toMatch(/did not accept the uploaded media.*export the file again/);
});

// https://github.com/gitroomhq/postiz-app/pull/2040, read 2026-11-30: 70 posts in 45 days.
test("X's rule for crypto addresses is about the post, not the account", () => {
  const detail = "Crypto addresses are prohibited for the first 7 days after authentication.";
  expect(readX(403, { title: "Forbidden", detail })).toMatchObject({ class: "content", code: "x_crypto_address" });
});

// https://github.com/gitroomhq/postiz-app/pull/1900 and 1364, read 2026-11-30: one of six images of one host.
test.each([
  ["ig", { code: 9004, error_subcode: 2207052 }],
  ["th", { code: 1, error_subcode: 2207052 }],
])("%s: media that could not be fetched once are fetched again, three times at most", (prefix, error) => {
  expect(readMeta(prefix, { ...error, message: "Only photo or video can be accepted as media type." })).toMatchObject({
    ...{ class: "transient", code: `${prefix}_2207052`, tries: 3 },
    message: expect.stringContaining("readable without signing in"),
  });
});

// https://github.com/gitroomhq/postiz-app/pull/1992, read 2026-11-30.
test("Instagram's undocumented code 2207085 is about the video", () => {
  const failed = readMeta("ig", { code: 1, error_subcode: 2207085, message: "" });
  expect(failed).toMatchObject({ class: "content", message: expect.stringContaining("H.264 and AAC") });
});

// https://github.com/gitroomhq/postiz-app/pull/1931 and 1907, read 2026-11-30: the same pins go through minutes later.
test.each([
  [{ code: 1, message: "Sorry we could not fetch the image." }, "transient", "pin_media_unreachable"],
  // https://github.com/gitroomhq/postiz-app/pull/1962, read 2026-11-30: it was told as a fault of the link.
  [
    { code: 9, message: "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later!" },
    ...(["rate_limited", "pin_spam_block"] as const),
  ],
  [{ code: 2787, message: "Sorry! Something went wrong on our end." }, "unanswered", "pin_internal_error"],
])("Pinterest's %o is no fault of the pin", (body, expected, code) => {
  const read = () => assertPinterestSuccess(toResponse(400, body));
  expect(read).toThrow();
  try {
    read();
  } catch (error) {
    expect(getFailure(error)).toMatchObject({ class: expected, code });
  }
});

// https://github.com/DayMoonDevelopment/post-for-me/pull/296, read 2026-11-30.
test("photos that TikTok could not fetch once are fetched again, three times at most", () => {
  expect(toPublishFailure(io, "photo_pull_failed")).toMatchObject({ class: "transient", tries: 3, restart: true });
});
