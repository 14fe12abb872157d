// Request bodies as the runtime streams them: in chunks of 4 KiB, of declared and of unknown length.
import { expect, test } from "vitest";
import { readText } from "../../lib/http/read-body.ts";

const MAX_BYTES = 1024 * 1024;

function buildRequest(body: BodyInit): Request {
  return new Request("http://api.test/", { method: "POST", body });
}

function streamBytes(bytes: Uint8Array): ReadableStream {
  const { readable, writable } = new IdentityTransformStream();
  // Fails when the reader cancels a body that is too large.
  new Blob([bytes])
    .stream()
    .pipeTo(writable)
    .catch(() => undefined);
  return readable;
}

test.each([0, 1, 4_097, 65_536, 65_537, 200_000, MAX_BYTES])("a body of %i bytes is read whole", async (size) => {
  const bytes = new Uint8Array(size).map((_, at) => 32 + (at % 90));
  for (const body of [bytes, streamBytes(bytes), new Blob([bytes]).stream()]) {
    expect((await readText(buildRequest(body))) === new TextDecoder().decode(bytes)).toBe(true);
  }
});

test("400 for a body that is not UTF-8", async () => {
  const request = buildRequest(Uint8Array.of(0x22, 0xff, 0x22));
  await expect(readText(request)).rejects.toMatchObject({ code: "invalid_json", status: 400 });
});

test("413 for more than 1 MiB without Content-Length", async () => {
  for (const size of [MAX_BYTES + 1, 3 * MAX_BYTES]) {
    const request = buildRequest(streamBytes(new Uint8Array(size).fill(32)));
    await expect(readText(request)).rejects.toMatchObject({ code: "payload_too_large", status: 413 });
  }
});
