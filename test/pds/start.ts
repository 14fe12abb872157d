// `npx node test/pds/start.ts`: a real Bluesky server on this machine, with one account, until Ctrl-C.
import { installPds } from "./install.ts";
import { startPds } from "./start-pds.ts";

const missing = installPds();
if (missing) {
  console.error(`No Bluesky server can be started: ${missing}.`);
  process.exit(1);
}
const pds = await startPds();
const { handle, accessToken } = await pds.createAccount("first-author");
const { password } = await pds.call("POST", "com.atproto.server.createAppPassword", {
  token: accessToken,
  json: { name: "try-network" },
});
console.log(`A Bluesky server is running at ${pds.url}. Ctrl-C ends it and deletes what it holds.

In another terminal:

export BLUESKY_SERVICE=${pds.url}
export BLUESKY_DIRECTORY=${pds.directoryUrl}
export BLUESKY_IDENTIFIER=${handle}
export BLUESKY_PASSWORD=${String(password)}
npm run admin -- try-network bluesky`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void pds.close());
