// Verifications of one upload, one after the other: who waits has what the first one came to.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { openWorld } from "../../lib/call.ts";
import { inTurn } from "../../lib/media/turn.ts";
import { bindings } from "../harness.ts";

const io = { ...openWorld(bindings([]), newId(), (work) => void work.catch(() => undefined)), ids: newId };

test("five at once work once; the others have its result", async () => {
  const id = newId();
  let [worked, result] = [0, null as string | null];
  const turn = {
    async work() {
      worked += 1;
      await new Promise((resume) => setTimeout(resume, 50));
      result = `made by number ${worked}`;
      return result;
    },
    done: async () => result,
  };
  const results = await Promise.all(Array.from({ length: 5 }, () => inTurn(io, id, turn)));
  expect([worked, ...new Set(results)]).toEqual([1, "made by number 1"]);
});

test("the turn of one who failed is the next one's at once, and that of one who died is when it has run out", async () => {
  const id = newId();
  const done = async () => null;
  const failing = () => Promise.reject(new Error("the bucket is away"));
  await expect(inTurn(io, id, { work: failing, done })).rejects.toThrow("the bucket is away");
  expect(await inTurn(io, id, { work: async () => "second", done })).toBe("second");
  const other = newId();
  await io.redis.set(`verify:${other}`, "who died", { px: 300 });
  expect(await inTurn(io, other, { work: async () => "next", done })).toBe("next");
});

test("what ended the upload while one waited is what that one throws", async () => {
  const id = newId();
  await io.redis.set(`verify:${id}`, "another", { px: 10_000 });
  const turn = { work: async () => "never", done: () => Promise.reject(new Error("rejected meanwhile")) };
  await expect(inTurn(io, id, turn)).rejects.toThrow("rejected meanwhile");
});
