/** Creates an element with properties and children. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Finds elements that the page has whenever the script asks for them. `prefix` precedes every selector: `#` for ids. */
export function createFinder(root: ParentNode, prefix = "") {
  return <Found extends HTMLElement>(selector: string) => root.querySelector<Found>(`${prefix}${selector}`) as Found;
}
