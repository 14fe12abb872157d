// The filter of the files page: a form that sends its fields with the address, without a script.
import type { FC } from "hono/jsx";
import type { LibraryFilter } from "../../../lib/queries/file-library.ts";
import { Choice, countSet, FilterFold } from "../forms.tsx";
import { isEverywhere, ORDER_WORDS, SHAPE_WORDS } from "./library-address.ts";

export const LibraryFilters: FC<{ filter: LibraryFilter; base: string }> = ({ filter, base }) => {
  const { folderId, search, kind, source, shape, use, order, everywhere } = filter;
  const set = countSet(kind, source, shape, use, everywhere !== isEverywhere(filter), order !== "newest");
  return (
    <search>
      <form class="filters" method="get" aria-label="Filter the files">
        {folderId && <input type="hidden" name="folder" value={folderId} />}
        <label>
          Name
          <input type="search" name="q" value={search} maxlength={200} />
        </label>
        <FilterFold set={set}>
          <Choice
            name="type"
            label="Kind"
            value={kind}
            options={[
              ["video", "Videos"],
              ["image", "Pictures"],
            ]}
          />
          <Choice
            name="source"
            label="Source"
            value={source}
            options={[
              ["upload", "Uploads"],
              ["ai", "Made by AI"],
            ]}
          />
          <Choice name="shape" label="Shape" value={shape} options={Object.entries(SHAPE_WORDS)} />
          <Choice
            name="use"
            label="Use"
            value={use}
            options={[
              ["unused", "In no post"],
              ["used", "In a post"],
            ]}
          />
          <Choice
            name="in"
            label="Where"
            value={everywhere ? "all" : "folder"}
            options={[
              ["folder", folderId ? "In this folder" : "In no folder"],
              ["all", "Everywhere"],
            ]}
            isRequired
          />
          <Choice name="sort" label="Order" value={order} options={Object.entries(ORDER_WORDS)} isRequired />
        </FilterFold>
        <button type="submit">Show</button>
        {(set > 0 || search) && <a href={folderId ? `${base}?folder=${folderId}` : base}>Clear</a>}
      </form>
    </search>
  );
};
