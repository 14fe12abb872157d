// A process that does nothing but what the media Worker does, and tells what that took.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import worker from "../../functions/media/worker.ts";

/** What one order took. */
export interface Took {
  cpuMs: number;
  /** The most that was in use at a time, garbage collected, buffers included. */
  liveMiB: number;
}

const MIB = 1024 * 1024;
const SAMPLE_MS = 100;

/** Only what is in use: how long garbage lies about is up to each runtime. */
function liveMiB(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

const idle = liveMiB();
let most = 0;
let sampling = 0;

/** Outside of the figures: what a sample itself costs. */
function sample(): void {
  const before = process.cpuUsage();
  most = Math.max(most, liveMiB() - idle);
  const { user, system } = process.cpuUsage(before);
  sampling += user + system;
}
setInterval(sample, SAMPLE_MS).unref();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const before = process.cpuUsage();
  [most, sampling] = [0, 0];
  const answer = await worker.fetch(
    new Request(`http://media${request.url}`, { method: "POST", body: Buffer.concat(chunks) }),
  );
  const body = Buffer.from(await answer.arrayBuffer());
  sample();
  const { user, system } = process.cpuUsage(before);
  const took: Took = { cpuMs: Math.round((user + system - sampling) / 1000), liveMiB: Math.round(most) };
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "x-took": JSON.stringify(took) });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));
