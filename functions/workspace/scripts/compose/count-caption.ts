// The length of a caption as a network counts it.
export function countCaption(text: string, unit: string | undefined): number {
  if (unit === "utf8_bytes") return new TextEncoder().encode(text).length;
  if (unit === "utf16") return text.length;
  const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  if (unit === "graphemes") return segments.length;
  const isEmoji = (segment: string) => /\p{Extended_Pictographic}/u.test(segment);
  if (unit === "emoji_as_bytes")
    return segments.reduce((sum, one) => sum + (isEmoji(one) ? new TextEncoder().encode(one).length : one.length), 0);
  // X: a link counts 23, and what is not Latin counts 2; the check counts exactly.
  const links = text.match(/https?:\/\/\S+/g) ?? [];
  const rest = links.reduce((left, link) => left.replace(link, ""), text);
  const weigh = (segment: string) => (isEmoji(segment) || (segment.codePointAt(0) ?? 0) > 0x10ff ? 2 : 1);
  return (
    links.length * 23 + [...new Intl.Segmenter().segment(rest)].reduce((sum, { segment }) => sum + weigh(segment), 0)
  );
}
