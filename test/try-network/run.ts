// `npm run try-network -- <network>`.
import { setTimeout as sleep } from "node:timers/promises";
import { tryNetwork } from "./try-network.ts";

process.exitCode = await tryNetwork(process.argv.slice(2), {
  env: process.env,
  log: (line) => console.log(line),
  sleep: async (ms) => void (await sleep(ms)),
});
