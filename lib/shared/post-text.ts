// Texts of posts and slides as they are stored: one kind of line break, no control characters, and no byte order mark of a file.

const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
const BYTE_ORDER_MARK = /^\ufeff+/;
const CONTROL = /(?![\n\t])\p{Cc}/gu;

export function cleanText(text: string): string {
  return text.replace(BYTE_ORDER_MARK, "").replace(LINE_BREAK, "\n").replace(CONTROL, "");
}

/** The same for a text of one line, such as a title. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s*[\n\t]\s*/g, " ");
}
