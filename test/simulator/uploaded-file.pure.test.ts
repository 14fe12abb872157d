import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { addBytes, addPiece, digestFile, startFile } from "../../lib/simulator/networks/uploaded-file.ts";

const reload = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

test.each([[[0]], [[1, 63, 64, 65]], [[64, 64]], [[100_000, 1, 127, 4_194_304]], [[55, 8, 1]]])(
  "pieces of %j bytes have the hash of the whole, stored in between",
  (sizes) => {
    const pieces = sizes.map((size) => randomBytes(size));
    let file = startFile();
    for (const piece of pieces) {
      file = reload(file);
      addBytes(file, piece);
    }
    const whole = Buffer.concat(pieces);
    expect(digestFile(reload(file))).toBe(createHash("sha256").update(whole).digest("hex"));
    expect(file.bytes).toBe(whole.length);
  },
);

test("numbered pieces may come in any order, and twice", () => {
  const pieces = [3_000, 70, 64, 1].map((size) => randomBytes(size));
  let file = startFile();
  for (const number of [2, 0, 0, 3, 2, 1, 1]) {
    file = reload(file);
    addPiece(file, number, pieces[number] as Buffer);
  }
  expect(file).toMatchObject({ next: 4, early: [], bytes: 3_135 });
  expect(digestFile(file)).toBe(createHash("sha256").update(Buffer.concat(pieces)).digest("hex"));
});
