// An upload in parts that is interrupted: what the next worker sends.
import { expect } from "vitest";
import type { Content, Driver, Handle, Job } from "../../lib/platforms/platform.ts";
import { expectFailure, publishToEnd } from "./publish-to-end.ts";
import type { TestNetwork } from "./test-network.ts";

export interface PartedUpload {
  driver: Driver;
  setup: TestNetwork;
  content: Content;
  /** The call that sends a part, and how many the content needs. */
  partCall: string;
  parts: number;
}

const toStored = (handle: Handle) => JSON.parse(JSON.stringify(handle)) as Handle;

/** Polls until so many parts are sent; returns the handle of the last one, as a row has it. */
async function sendParts({ driver, setup, partCall }: PartedUpload, job: Job, parts: number): Promise<Handle> {
  let handle = toStored(await driver.start(job));
  while (countCalls(setup, partCall) < parts) {
    const polled = await driver.poll(job, handle);
    expect(polled).toMatchObject({ state: "processing", afterMs: 0 });
    handle = toStored("handle" in polled && polled.handle ? polled.handle : {});
  }
  return handle;
}

function countCalls({ networks }: Pick<TestNetwork, "networks">, name: string): number {
  return networks.log().filter(({ call }) => call === name).length;
}

async function clear({ networks }: TestNetwork): Promise<void> {
  for (const name of ["_log", "_published"]) await fetch(`${networks.url}/${name}`, { method: "DELETE" });
}

/** Each part is sent once although another worker continues after every one of them. */
export async function expectResumed(upload: PartedUpload): Promise<void> {
  const { driver, setup, content, partCall, parts } = upload;
  expect(parts).toBeGreaterThan(2);
  for (let sent = 0; sent <= parts; sent++) {
    await clear(setup);
    const handle = await sendParts(upload, setup.job(content), sent);
    const published = await publishToEnd({ ...driver, start: async () => handle }, setup.job(content));
    expect(published.state).toBe("published");
    expect(countCalls(setup, partCall)).toBe(parts);
  }
}

/** A part that the network failed to take is sent again, a few times, and then by the next worker. */
export async function expectResent(upload: PartedUpload): Promise<void> {
  const { driver, setup, content, partCall, parts } = upload;
  await clear(setup);
  const job = setup.job(content);
  const handle = await sendParts(upload, job, 1);
  setup.networks.addScript({ network: driver.platform, call: partCall, answer: "500", times: 4 });
  expect(await expectFailure(driver.poll(job, handle))).toMatchObject({ class: "transient" });
  expect(countCalls(setup, partCall)).toBe(5);
  await publishToEnd({ ...driver, start: async () => handle }, job);
  expect(countCalls(setup, partCall)).toBe(parts + 4);
}

/** An upload that the network no longer has begins again, also when the network says so first. */
export async function expectRestarted(upload: PartedUpload, expiresMs: number, forget: () => void): Promise<void> {
  const { driver, setup, content, partCall, parts } = upload;
  await clear(setup);
  const job = setup.job(content);
  const handle = await sendParts(upload, job, 2);
  const lost = { class: "transient", code: "upload_session_lost", restart: true };
  forget();
  expect(await expectFailure(driver.poll(job, handle))).toMatchObject(lost);
  expect(countCalls(setup, partCall)).toBe(3);
  job.advance(expiresMs);
  expect(await expectFailure(driver.poll(job, handle))).toMatchObject(lost);
  expect(countCalls(setup, partCall)).toBe(3);
  await publishToEnd(driver, setup.job(content));
  expect(countCalls(setup, partCall)).toBe(3 + parts);
}
