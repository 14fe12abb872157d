// The handle in what a person enters for an account: a name or a URL of its network.
import { expect, test } from "vitest";
import { parseHandle } from "../../lib/schemas/analytics-handle.ts";
import type { Platform } from "../../lib/shared/platforms.ts";

test.each<[Platform, string, string | null]>([
  ["tiktok", "@Name_1", "Name_1"],
  ["tiktok", "tiktok.com/@name/video/7300", "name"],
  ["tiktok", "https://m.tiktok.com/@name/", "name"],
  ["tiktok", "https://vm.tiktok.com/ZMabc/", null],
  ["tiktok", "https://www.instagram.com/name", null],
  ["tiktok", "https://tiktok.com.example.com/@name", null],
  ["instagram", "https://www.instagram.com/name/reels/?hl=en", "name"],
  ["instagram", "instagram.com/reel/Cabc", null],
  ["instagram", "https://www.instagram.com/_u/name", "name"],
  ["instagram", "https://www.instagram.com/invites/contact/?i=abc", null],
  ["instagram", "＠ｎａｍｅ", "name"],
  ["instagram", "\u200bname\u2069", "name"],
  ["instagram", "two words", null],
  ["instagram", "@", null],
  ["instagram", "a,b", null],
  ["youtube", "https://youtube.com/@N%C3%B6rd/shorts", "Nörd"],
  ["youtube", "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv", "UCabcdefghijklmnopqrstuv"],
  ["youtube", "https://www.youtube.com/c/Name", "Name"],
  ["youtube", "https://www.youtube.com/watch?v=abc", null],
  ["youtube", "https://www.youtube.com/", null],
  ["twitter", "https://x.com/name/status/1", "name"],
  ["twitter", "twitter.com/i/web/status/1", null],
  ["threads", "https://www.threads.com/@name/post/C1", "name"],
  ["threads", "https://www.threads.net/name", null],
  ["linkedin", "https://www.linkedin.com/company/north-light/posts/", "north-light"],
  ["linkedin", "https://www.linkedin.com/feed/update/urn:li:share:1", null],
  ["linkedin", "Ann Example, PhD", "Ann Example, PhD"],
  ["facebook", "https://www.facebook.com/northlight", "northlight"],
  ["facebook", "https://www.facebook.com/profile.php?id=1000123", "1000123"],
  ["facebook", "North Light Studio", "North Light Studio"],
  ["pinterest", "pinterest.com/name/board", "name"],
  ["pinterest", "https://www.pinterest.com/pin/1", null],
  ["bluesky", "https://bsky.app/profile/ann.bsky.social/post/3k", "ann.bsky.social"],
  ["bluesky", "did:plc:abc", "did:plc:abc"],
])("%s: %s has the handle %s", (platform, text, handle) => {
  expect(parseHandle(platform, text)).toBe(handle);
});
