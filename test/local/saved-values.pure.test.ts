// `npm run api` replaces names in braces by saved values.
import { expect, test } from "vitest";
import { fillBody, fillPath } from "./saved-values.ts";

const saved = { post: "p1", video: "https://files.test/v.mp4" };

test("saved names are replaced in a path and in a body", () => {
  expect(fillPath("/posts/{post}?a={post}", saved)).toBe("/posts/p1?a=p1");
  expect(fillBody('{"url":"{video}","text":"see {video}"}', saved)).toBe(
    '{"url":"https://files.test/v.mp4","text":"see https://files.test/v.mp4"}',
  );
});

test("a name that was never saved is an error that lists the saved ones", () => {
  expect(() => fillPath("/posts/{nope}", saved)).toThrow(
    "Nothing is saved as nope. Saved are: post, video. --save nope=",
  );
  expect(() => fillBody('{"url":"{nope}"}', saved)).toThrow("Nothing is saved as nope.");
  expect(() => fillPath("/posts/{nope}", {})).toThrow("Nothing is saved as nope. No name is saved yet.");
  expect(() => fillPath("/posts/{constructor}", saved)).toThrow("Nothing is saved as constructor.");
});

test("a text keeps braces of its own", () => {
  expect(fillBody('{"caption":"Hello {first_name}"}', saved)).toBe('{"caption":"Hello {first_name}"}');
});
