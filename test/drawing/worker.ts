// The drawing Worker in this process.
import worker from "../../functions/drawing/draw.ts";
import { FONTS } from "./fonts.ts";

/** As the service binding answers. */
export async function draw(request: Request): Promise<Response> {
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], { FONTS });
}
