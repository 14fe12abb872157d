// Cards of links: the tags of a page, in any encoding, and pages that cannot be read.
import { expect, test } from "vitest";
import { MAX_PAGE_BYTES, readLinkTags } from "../../lib/media/link-tags.ts";
import { readPageTags } from "../../lib/media/page-tags.ts";

const URL_OF_PAGE = "https://northlight.example/notes/harbour";
const read = (html: string, contentType = "text/html; charset=utf-8") =>
  readPageTags(new TextEncoder().encode(html), contentType, URL_OF_PAGE);

test("Open Graph tags come first, then those of X, then the page's own", () => {
  const tags = `<meta property="og:title" content="Open"><meta name="twitter:title" content="Bird"><title>Own</title>`;
  expect(read(tags).title).toBe("Open");
  expect(read(tags.replace("og:title", "og:other")).title).toBe("Bird");
  expect(read("<title>\n  Own &amp;\n true </title>").title).toBe("Own & true");
  expect(read(`<meta name=description content='Own words'>`).description).toBe("Own words");
  expect(read("<p>Nothing</p>")).toEqual({ title: null, description: null, imageUrl: null });
});

test("numbers of control characters are the signs that Windows has there", () => {
  expect(read("<title>It&#146;s 5 &#x80; &#150; really&#133;</title>").title).toBe("It’s 5 € – really…");
});

test("the first tag counts, entities are characters, and a title of a drawing is none of the page", () => {
  const html = `<title>Page</title><svg><title>Drawing</title></svg>
    <meta property="og:description" content="Caf&eacute; &#8211; &quot;open&quot; &#x1F30A;">
    <meta property="og:description" content="second">`;
  expect(read(html)).toMatchObject({ title: "Page", description: 'Café – "open" 🌊' });
});

test.each([
  ["<meta ".repeat(90_000)],
  ['<meta "'.repeat(75_000)],
  ["<!--".repeat(130_000)],
  ["<script </script ".repeat(30_000)],
  [`<title>${"&amp".repeat(130_000)}`],
])("a page of half a megabyte that is made to take long does not (%#)", (html) => {
  const begun = performance.now();
  read(html);
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test.each([
  ["/pictures/a.jpg", "https://northlight.example/pictures/a.jpg"],
  ["a.jpg?w=1&amp;h=2", "https://northlight.example/notes/a.jpg?w=1&h=2"],
  ["//cdn.example/a.jpg", "https://cdn.example/a.jpg"],
  ["data:image/png;base64,AA", null],
  ["javascript:alert(1)", null],
  ["http://[", null],
])("the picture %s is at %s", (content, expected) => {
  expect(read(`<meta property="og:image" content="${content}">`).imageUrl).toBe(expected);
});

test("a picture is relative to the base of the page", () => {
  const html = `<base href="https://cdn.example/files/"><meta property="og:image" content="a.jpg">`;
  expect(read(html).imageUrl).toBe("https://cdn.example/files/a.jpg");
});

test.each<[string, string, number[], string]>([
  ["windows-1252", "text/html", [0x93, 0xe9, 0x80, 0x94], "“é€”"],
  ["shift_jis", "text/html", [0x83, 0x65, 0x83, 0x58, 0x83, 0x67], "テスト"],
  ["euc-kr", "text/html", [0xc7, 0xd1], "한"],
])("%s is read by the page's own declaration", (charset, contentType, bytes, expected) => {
  const [before, after] = [`<meta charset="${charset}"><title>`, "</title>"].map((text) =>
    new TextEncoder().encode(text),
  );
  const page = Uint8Array.from([...(before ?? []), ...bytes, ...(after ?? [])]);
  expect(readPageTags(page, contentType, URL_OF_PAGE).title).toBe(expected);
});

test("the header names the encoding before the page does, and bytes that are no UTF-8 are windows-1252", () => {
  const title = (bytes: number[]) =>
    Uint8Array.from([...new TextEncoder().encode("<title>"), ...bytes, ...new TextEncoder().encode("</title>")]);
  expect(readPageTags(title([0xe9]), "text/html; charset=ISO-8859-1", URL_OF_PAGE).title).toBe("é");
  expect(readPageTags(title([0xe9]), "text/html", URL_OF_PAGE).title).toBe("é");
  expect(readPageTags(title([0xc3, 0xa9]), "text/html; charset=unknown-8", URL_OF_PAGE).title).toBe("é");
});

const answer =
  (body: BodyInit | null, type = "text/html", status = 200) =>
  async () =>
    new Response(body, { status, headers: { "content-type": type } });

test("of a large page the first 512 KiB are read, and the rest is not asked for", async () => {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(
        new TextEncoder().encode(sent === 65_536 ? "<title>Large</title>".padEnd(65_536) : " ".repeat(65_536)),
      );
    },
  });
  expect(await readLinkTags(answer(stream), URL_OF_PAGE)).toMatchObject({ title: "Large" });
  expect(sent).toBeLessThanOrEqual(MAX_PAGE_BYTES + 2 * 65_536);
});

test.each([
  [answer("gone", "text/html", 404), "The URL returned HTTP 404."],
  [answer("{}", "application/json"), 'The URL returns no HTML page, but the content type "application/json".'],
  [answer("<p>Nothing</p>"), "The page has neither an og:title nor a title."],
  [() => Promise.reject(new Error("The address 10.0.0.1 is not public.")), "The address 10.0.0.1 is not public."],
  [() => Promise.reject(new TypeError("fetch failed")), "The URL did not respond: the connection failed."],
])("a page that cannot be read says why (%#)", async (fetchPage, message) => {
  await expect(readLinkTags(fetchPage, URL_OF_PAGE)).rejects.toThrow(message);
});
