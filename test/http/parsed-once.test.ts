// Objects that never change are parsed once, which sets a function of Zod that it does not document.
import { expect, test } from "vitest";
import * as z from "zod";
import { parsedOnce } from "../../lib/schemas/parsed-once.ts";

const List = z.object({ items: z.array(parsedOnce(z.object({ name: z.string() }))) });

/** An object that counts how often its name is read. */
function createCounted(name: unknown) {
  let reads = 0;
  const item = {
    get name() {
      reads += 1;
      return name;
    },
    secret: "not in the schema",
  };
  return { item, countReads: () => reads };
}

test("an object is read once, wherever it is parsed, without what the schema does not name", () => {
  const { item, countReads } = createCounted("a");
  for (let parsed = 0; parsed < 3; parsed++) {
    expect(List.parse({ items: [item, item] })).toEqual({ items: [{ name: "a" }, { name: "a" }] });
  }
  expect(countReads()).toBe(1);
});

test("another object is parsed even if its values are the same", () => {
  const [first, second] = [createCounted("a"), createCounted("a")];
  List.parse({ items: [first.item, second.item] });
  expect([first.countReads(), second.countReads()]).toEqual([1, 1]);
});

test("what does not match is rejected every time, with its path", () => {
  const { item } = createCounted(1);
  for (const value of [item, item, "text", null]) {
    const { error } = List.safeParse({ items: [{ name: "a" }, value] });
    expect(error?.issues[0]?.path.slice(0, 2)).toEqual(["items", 1]);
  }
});
