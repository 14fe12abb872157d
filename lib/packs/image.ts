// An image of a pack as it is stored: its URL, and what looking at the picture told.
import type { Call } from "../call.ts";
import { fileNameIn } from "../file-name.ts";
import type { NewImage } from "../queries/packs.ts";
import type { PackImageCreate } from "../schemas/pack.ts";
import type { Picture } from "./picture.ts";

export function imageFrom(
  { image_url: url, file_name }: PackImageCreate,
  picture: Picture,
  { ids, now }: Pick<Call, "ids" | "now">,
): NewImage {
  return {
    id: ids(),
    url,
    fileName: file_name ?? fileNameIn(url, `image.${picture.contentType.split("/")[1]}`),
    ...picture,
    createdAt: now,
  };
}
