// Runs the media Worker's code in a separate process and reports CPU and memory of each request.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import worker from "../../functions/media/worker.ts";

/** CPU and memory of one request. */
export interface ResourceUsage {
  cpuMs: number;
  /** Peak memory in use after garbage collection, including buffers. */
  peakMiB: number;
}

const MIB = 1024 * 1024;
const SAMPLE_MS = 100;

/** Memory in use after garbage collection, because collection times differ between runtimes. */
function measureLiveMiB(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

const idle = measureLiveMiB();
let peakMiB = 0;
let samplingCpu = 0;

/** Samples memory and records its own CPU time, which is subtracted from the result. */
function takeSample(): void {
  const before = process.cpuUsage();
  peakMiB = Math.max(peakMiB, measureLiveMiB() - idle);
  const { user, system } = process.cpuUsage(before);
  samplingCpu += user + system;
}
setInterval(takeSample, SAMPLE_MS).unref();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const before = process.cpuUsage();
  [peakMiB, samplingCpu] = [0, 0];
  const result = await worker.fetch(
    new Request(`http://media${request.url}`, { method: "POST", body: Buffer.concat(chunks) }),
  );
  const body = Buffer.from(await result.arrayBuffer());
  takeSample();
  const { user, system } = process.cpuUsage(before);
  const usage: ResourceUsage = {
    cpuMs: Math.round((user + system - samplingCpu) / 1000),
    peakMiB: Math.round(peakMiB),
  };
  response.writeHead(result.status, { ...Object.fromEntries(result.headers), "x-took": JSON.stringify(usage) });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));
