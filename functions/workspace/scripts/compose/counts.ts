// The length of the caption per network: a module of its own, because counting as the networks do takes large tables.
import type { Capabilities } from "../../../../lib/platforms/rules.ts";
import { measureShownCaption } from "../../../../lib/platforms/shown-caption.ts";
import { createElement } from "../shared/element.ts";

/** `rules` are by the names of the networks. */
export function showCounts(list: HTMLElement, caption: string, rules: Map<string, string>): void {
  list.replaceChildren(
    ...[...rules].map(([name, text]) => {
      const { limit, ...rule } = JSON.parse(text) as Capabilities["caption"];
      const { length } = measureShownCaption(caption, { limit, ...rule });
      return createElement("li", { className: length > limit ? "over" : "" }, `${name} ${length} / ${limit}`);
    }),
  );
}
