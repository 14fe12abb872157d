/** A name that no other component has: `Conflict`, then `Conflict2`. */
export function nameFreely(name: string, taken: Record<string, unknown>): string {
  if (!Object.hasOwn(taken, name)) return name;
  let number = 2;
  while (Object.hasOwn(taken, `${name}${number}`)) number++;
  return `${name}${number}`;
}

export function toReference(name: string): string {
  return `#/components/schemas/${name}`;
}
