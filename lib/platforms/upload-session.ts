// Uploads in parts that a network keeps: `poll` sends one part and returns a handle that says so, which is stored before
// the next one. A later worker continues with it.
import { NOT_SENT } from "./http.ts";
import { failure, getFailure, type Handle, type Processing } from "./platform.ts";

/** One attempt sends a part again this often before it leaves the rest to a later attempt. */
const MAX_RESENDS = 3;

/** A part has arrived: the handle is stored, and `poll` is called again at once. */
export function partSent(handle: Handle): Processing {
  return { state: "processing", afterMs: 0, handle };
}

/** The bytes of part `index`, both ends inclusive; null after the last one. */
export function getPartRange(index: number, { partBytes, total }: { partBytes: number; total: number }) {
  const first = index * partBytes;
  return first < total ? { first, last: Math.min(first + partBytes, total) - 1, total } : null;
}

/** Sends a part again when no response came or the network had an error. A part may arrive more than once. */
export async function sendPart<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let resends = 0; ; resends++) {
    try {
      return await send();
    } catch (error) {
      const failed = getFailure(error);
      const isTemporary = failed?.class === "unanswered" || failed?.class === "transient";
      if (!isTemporary || failed.restart || failed.code === NOT_SENT || resends === MAX_RESENDS) throw error;
    }
  }
}

/** A rejected finish may be the repeat of one whose response was lost: the upload begins again, once. */
export async function restartIfRejected<Result>(finish: Promise<Result>): Promise<Result> {
  try {
    return await finish;
  } catch (error) {
    const failed = getFailure(error);
    if (failed?.class !== "content") throw error;
    throw failure({ ...failed, class: "transient", restart: true, tries: 2 });
  }
}

export function uploadSessionLost(network: string) {
  return failure({
    class: "transient",
    code: "upload_session_lost",
    message: `${network} closed the upload before it was complete. We restart it automatically.`,
    restart: true,
  });
}
