// The row of a new pack image: its URL and what its inspection found.

import type { NewImage } from "../queries/packs.ts";
import type { PackImageCreate } from "../schemas/pack.ts";
import type { RequestContext } from "../services/context.ts";
import { getFileName } from "../shared/file-name.ts";
import type { ImageInfo } from "./inspect-image.ts";

export function toNewImage(
  { image_url: url, file_name }: PackImageCreate,
  info: ImageInfo,
  { ids, now }: Pick<RequestContext, "ids" | "now">,
): NewImage {
  return {
    id: ids(),
    url,
    fileName: file_name ?? getFileName(url, `image.${info.contentType.split("/")[1]}`),
    ...info,
    createdAt: now,
  };
}
