// Media in the arguments of a tool. A model invents paths and URLs; only files of this service are stored in a post.
import type { FieldError } from "../../lib/shared/errors.ts";
import { apiError } from "../../lib/shared/errors.ts";

/** The fields of a post that name media: not the page of a link, and not the address that a pin leads to. */
const MEDIA_PATH = /(^|\.)(media(\.items\.\d+)?\.url|media\.urls\.\d+|cover_url|image_url|thumbnail\.path)$/;

/** Throws `validation_failed` with a field for each reference that is no file of ours. */
export function rejectForeignMedia(given: unknown, cdnUrl: string): void {
  const cdn = `${cdnUrl.replace(/\/$/, "")}/`;
  const fields = listTexts(given).flatMap(([path, text]): FieldError[] => {
    if (!MEDIA_PATH.test(path) || text.startsWith(cdn)) return [];
    return [{ path, message: `Is no file of this service. ${describeCure(text)}`, code: "media_unreachable" }];
  });
  const [first] = fields;
  if (first) throw apiError("validation_failed", `${first.path}: ${first.message}`, { fields });
}

function describeCure(text: string): string {
  return /^https?:/i.test(text)
    ? "Call import_file with this URL, then use the file.url that it returns."
    : "Local paths cannot be read here: call create_upload, PUT the bytes to its uploadUrl, call complete_upload, then use the file.url that it returns.";
}

/** Every text with its path. The depth of what is stored in a post is less. */
function listTexts(value: unknown, path = "", depth = 0): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null || depth > 6) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listTexts(inner, path === "" ? name : `${path}.${name}`, depth + 1),
  );
}
