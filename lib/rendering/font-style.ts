// The style of a node whose texts use the given families, the preferred one first.
export function buildFontStyle(families: string[]) {
  return { fontFamily: families.map((family) => `"${family}"`).join(", "), fontWeight: 700 } as const;
}
