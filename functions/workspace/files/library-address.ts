// The address of the files page: the open folder, what is looked for, and the order.
import {
  LIBRARY_ORDERS,
  type LibraryFilter,
  type LibraryOrder,
  SHAPES,
  type Shape,
} from "../../../lib/queries/file-library.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import type { PageContext } from "../page.ts";
import { PageError } from "../session.ts";

const FILES_PER_PAGE = 60;
const MAX_OFFSET = 100_000;
const MAX_SEARCH = 200;

export const ORDER_WORDS: Record<LibraryOrder, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
  largest: "Largest first",
};

export const SHAPE_WORDS: Record<Shape, string> = { portrait: "Portrait", landscape: "Landscape", square: "Square" };

/** Values that no form sends count as absent, except a folder that is none. */
export function readLibraryFilter(c: PageContext): LibraryFilter {
  const { folder, q = "", type, source, shape, use, sort, in: place, from } = c.req.query();
  const folderId = folder ? folder.toLowerCase() : null;
  if (folderId !== null && !isUuid(folderId)) throw new PageError(404, "There is no such folder in this workspace.");
  const search = q.trim().slice(0, MAX_SEARCH);
  return {
    folderId,
    search,
    everywhere: place === "all" || (place !== "folder" && isEverywhere({ search, folderId })),
    kind: type === "video" || type === "image" ? type : undefined,
    source: source === "upload" || source === "ai" ? source : undefined,
    shape: SHAPES.find((one) => one === shape),
    use: use === "used" || use === "unused" ? use : undefined,
    order: LIBRARY_ORDERS.find((one) => one === sort) ?? "newest",
    limit: FILES_PER_PAGE,
    offset: Math.min(MAX_OFFSET, Math.max(0, Number.parseInt(from ?? "", 10) || 0)),
  };
}

/** A name is looked for everywhere, unless a folder is open or the filter says where. */
export const isEverywhere = ({ search, folderId }: Pick<LibraryFilter, "search" | "folderId">): boolean =>
  search !== "" && folderId === null;

/** The same page further on. */
export function buildPageQuery(c: PageContext, offset: number): URLSearchParams {
  const query = new URLSearchParams(c.req.query());
  query.set("from", String(offset));
  return query;
}
