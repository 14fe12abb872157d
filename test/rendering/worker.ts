// Runs the rendering Worker in this process.
import worker from "../../functions/rendering/worker.ts";
import { FONTS } from "./fonts.ts";

/** Responds like the service binding. */
export async function callRenderingWorker(request: Request): Promise<Response> {
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], { FONTS });
}
