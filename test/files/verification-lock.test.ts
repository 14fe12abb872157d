// Verifications of one upload run one at a time; waiting requests return the result of the first one.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { openServices } from "../../lib/services/context.ts";
import { withVerificationLock } from "../../lib/uploads/verification-lock.ts";
import { createBindings } from "../support/harness.ts";

const services = {
  ...openServices(createBindings([]), newId(), (work) => void work.catch(() => undefined)),
  ids: newId,
};

test("five concurrent requests do the work once and share its result", async () => {
  const id = newId();
  let [worked, result] = [0, null as string | null];
  const lockedWork = {
    async work() {
      worked += 1;
      await new Promise((resume) => setTimeout(resume, 50));
      result = `made by number ${worked}`;
      return result;
    },
    findResult: async () => result,
  };
  const results = await Promise.all(Array.from({ length: 5 }, () => withVerificationLock(services, id, lockedWork)));
  expect([worked, ...new Set(results)]).toEqual([1, "made by number 1"]);
});

test("the lock is released after a failure, and expires when its holder died", async () => {
  const id = newId();
  const findResult = async () => null;
  const failing = () => Promise.reject(new Error("storage is unavailable"));
  await expect(withVerificationLock(services, id, { work: failing, findResult })).rejects.toThrow(
    "storage is unavailable",
  );
  expect(await withVerificationLock(services, id, { work: async () => "second", findResult })).toBe("second");
  const other = newId();
  await services.redis.set(`verify:${other}`, "dead holder", { px: 300 });
  expect(await withVerificationLock(services, other, { work: async () => "next", findResult })).toBe("next");
});

test("a waiting request throws the error that ended the upload", async () => {
  const id = newId();
  await services.redis.set(`verify:${id}`, "another", { px: 10_000 });
  const lockedWork = { work: async () => "never", findResult: () => Promise.reject(new Error("rejected meanwhile")) };
  await expect(withVerificationLock(services, id, lockedWork)).rejects.toThrow("rejected meanwhile");
});
