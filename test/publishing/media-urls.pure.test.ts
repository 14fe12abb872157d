// URLs of media as people write them: networks get them as a browser sends them.
import { expect, test } from "vitest";
import { buildContainers } from "../../lib/platforms/instagram/content.ts";
import { selectContent } from "../../lib/publishing/content.ts";
import { PostCreate } from "../../lib/schemas/post-body.ts";

const ID = "0199a000-0000-7000-8000-000000000001";

function read(media: unknown, settings: unknown = {}) {
  const draft = PostCreate.parse({ caption: "a", accounts: [{ id: ID }], media, settings });
  return selectContent(draft, { id: ID, platform: "instagram" }, () => undefined);
}

// https://github.com/snarfed/bridgy/issues/670, read 2026-11-30.
test.each([
  ["https://a.example/IMG 1 (2).jpg", "https://a.example/IMG%201%20(2).jpg"],
  ["https://a.example/straße/日本.jpg?q=ü", "https://a.example/stra%C3%9Fe/%E6%97%A5%E6%9C%AC.jpg?q=%C3%BC"],
  ["https://例え.jp/a.jpg", "https://xn--r8jz45g.jp/a.jpg"],
  ["https://a.example/a%20b.jpg?sig=a%2Fb+c%3D", "https://a.example/a%20b.jpg?sig=a%2Fb+c%3D"],
  ["https://a.example/a.jpg?X-Amz-Signature=0aF", "https://a.example/a.jpg?X-Amz-Signature=0aF"],
])("%s is sent as %s", (url, sent) => {
  const video = { type: "video", url, cover_url: url };
  expect(read({ type: "slideshow", urls: [url] }).media).toMatchObject({ images: [{ url: sent }] });
  expect(read(video)).toMatchObject({ media: { video: { url: sent } }, cover: { image: { url: sent } } });
  expect(() => new Headers({ file_url: sent })).not.toThrow();
  const own = read({ type: "video", url }, { instagram: { cover_url: url } });
  expect(buildContainers(own)).toMatchObject({ single: { video_url: sent, cover_url: sent } });
});
