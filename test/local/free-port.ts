// Finds a free TCP port below the ephemeral range, where no outgoing connection can take it before its server listens.
import { once } from "node:events";
import { createServer } from "node:net";

const FIRST_PORT = 15_000;
const LAST_PORT = 29_999;
const MAX_ATTEMPTS = 50;

/** Random, so that stacks that start at the same time rarely try the same port. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (await canListen(port)) return port;
  }
  throw new Error(`No free port among ${MAX_ATTEMPTS} from ${FIRST_PORT} to ${LAST_PORT}`);
}

async function canListen(port: number): Promise<boolean> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch {
    return false;
  }
  probe.close();
  await once(probe, "close");
  return true;
}
