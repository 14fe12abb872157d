// The order of the reference: what partners need first comes first.
import type { Endpoint } from "./endpoint-spec.ts";
import type { Documentation } from "./openapi-documentation.ts";

const GROUPS: Record<string, readonly string[]> = {
  Publishing: ["Posts", "Accounts", "Files", "Approvals"],
  Content: ["Slideshows", "Templates", "Packs", "Folders", "Editor"],
  Research: ["Trends", "Viral library", "Analytics"],
  Events: ["Events", "Webhooks"],
};
const ORDER = Object.values(GROUPS).flat();

/** `viral-library.search` belongs to "Viral library". */
export function toTagName(id: string): string {
  const noun = (id.split(".")[0] ?? id).replaceAll("-", " ");
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

/** By tag, then as the reference lists them, then by id. */
export function sortByTag(endpoints: Endpoint[], { operations }: Documentation): Endpoint[] {
  const written = [...operations.keys()];
  const rank = (list: readonly string[], name: string) => (list.includes(name) ? list.indexOf(name) : list.length);
  return endpoints.toSorted(
    (a, b) =>
      rank(ORDER, toTagName(a.id)) - rank(ORDER, toTagName(b.id)) ||
      toTagName(a.id).localeCompare(toTagName(b.id)) ||
      rank(written, a.id) - rank(written, b.id) ||
      a.id.localeCompare(b.id),
  );
}

/** Tags that are in no group make one of their own. */
export function groupTags(tags: string[]): { name: string; tags: string[] }[] {
  const others = tags.filter((tag) => !ORDER.includes(tag));
  return Object.entries({ ...GROUPS, Workspace: others })
    .map(([name, members]) => ({ name, tags: members.filter((tag) => tags.includes(tag)) }))
    .filter((group) => group.tags.length > 0);
}
