// Starts a process again when it ends unexpectedly, and logs it.
import { connect } from "node:net";
import { setInterval } from "node:timers";

const CHECK_INTERVAL_MS = 1_000;
/** A process that is busy accepts connections late, but does not reject them. */
const MAX_REJECTED = 3;
/** One that ends this often in a minute would only end again. */
const MAX_RESTARTS_PER_MINUTE = 5;

interface Watched {
  port: number;
  /** Why it ended, in words; null while it runs. */
  getExit(): string | null;
  /** Ends what is left of it, and starts it again. */
  restart(): Promise<void>;
  log(line: string): void;
}

export interface Supervisor {
  /** While this runs, an end is expected. */
  pause<Result>(work: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

export function keepRunning({ port, getExit, restart, log }: Watched): Supervisor {
  let rejected = 0;
  let restarts: number[] = [];
  /** Checks, restarts and pauses, one after another. */
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = false;
  let isStopped = false;

  const timer = setInterval(() => {
    if (waiting) return;
    waiting = true;
    queue = queue.then(check).finally(() => {
      waiting = false;
    });
  }, CHECK_INTERVAL_MS);
  timer.unref();

  async function check(): Promise<void> {
    if (isStopped) return;
    const exit = getExit();
    rejected = exit === null && (await isRejected(port)) ? rejected + 1 : 0;
    const reason = exit ?? (rejected >= MAX_REJECTED ? `nothing accepts connections on port ${port}` : null);
    if (reason === null || isStopped) return;
    rejected = 0;
    await restartOnce(reason);
  }

  async function restartOnce(reason: string): Promise<void> {
    restarts = [...restarts.filter((at) => at > Date.now() - 60_000), Date.now()];
    if (restarts.length > MAX_RESTARTS_PER_MINUTE) {
      log(
        `The Worker stopped again (${reason}). It stopped ${restarts.length} times within a minute and is not started again.`,
      );
      stop();
      return;
    }
    log(`The Worker stopped (${reason}). It is started again; requests fail until then.`);
    try {
      await restart();
      log("The Worker runs again.");
    } catch (error) {
      log(`The Worker could not be started again. ${error instanceof Error ? error.message : error}`);
      stop();
    }
  }

  function stop(): void {
    isStopped = true;
    clearInterval(timer);
  }

  return {
    pause(work) {
      const done = queue.then(work);
      queue = done.catch(() => undefined);
      return done;
    },
    stop,
  };
}

function isRejected(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 2_000 });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(false));
    socket.once("timeout", () => end(false));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code === "ECONNREFUSED"));
  });
}
