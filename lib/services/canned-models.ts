// The language model, speech-to-text and embeddings of test mode, in OpenAI's wire format: the same request gets the same response.
import { createHash } from "node:crypto";
import * as z from "zod";

/** An embedding has as many numbers as the column of the library: lib/ai/embeddings.ts. */
const DIMENSIONS = 384;

/** Slides about any topic: a heading, and a body for slides that have one. Together they are shorter than every limit. */
const SLIDES: readonly (readonly [heading: string, body: string])[] = [
  ["Start with one small step", "Ten minutes a day are enough. Write down what changed after a week."],
  ["Look at what you already have", "Most people own the tools they need. Use those before you buy others."],
  ["Ask someone who has done it", "One honest answer saves an afternoon of reading."],
  ["Do the dull part first", "It takes less time than you think, and the rest feels easy after it."],
  ["Keep a short list", "Three things on paper are better than ten in your head."],
  ["Try it on a quiet day", "Without a deadline you notice what works and what does not."],
  ["Change one thing at a time", "Otherwise you cannot tell what made the difference."],
  ["Stop while it is still fun", "You will want to go on tomorrow, and that is the point."],
];
const [TITLE, CALL]: readonly [string, string] = [
  "What I wish I had known earlier",
  "Save this for the day you need it",
];

const SPOKEN = "This is a sample caption from test mode so that you can see how words are placed".split(" ");
const SECONDS_PER_WORD = 0.4;

const Completion = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  response_format: z.object({ json_schema: z.object({ name: z.string() }) }),
});
const Brief = z.object({ slides: z.array(z.string()), rewrite: z.number().optional() });
const Embeddings = z.object({ input: z.array(z.string()) });

export async function answerModel(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/audio/transcriptions") return Response.json(transcribe());
  const body: unknown = await request.json();
  if (pathname === "/embeddings") return Response.json({ data: Embeddings.parse(body).input.map(embed) });
  return Response.json({ choices: [{ message: { content: JSON.stringify(writeTexts(Completion.parse(body))) } }] });
}

/** The texts of a slideshow, or of the one slide that is rewritten: others than those that it has. */
function writeTexts({ messages }: z.output<typeof Completion>): unknown {
  const prompt = messages.find(({ role }) => role === "user")?.content ?? "{}";
  const { slides, rewrite } = Brief.parse(JSON.parse(prompt));
  const start = digest(prompt)[0] ?? 0;
  const free = SLIDES.filter(([heading]) => !prompt.includes(heading));
  const write = (role: string, at: number) => {
    const [heading, body] = free[(start + at) % free.length] ?? [TITLE, ""];
    if (role === "title") return { heading: rewrite === undefined ? TITLE : heading, body: "" };
    return role === "call_to_action"
      ? { heading: rewrite === undefined ? CALL : heading, body: "" }
      : { heading, body };
  };
  if (rewrite !== undefined) return write(slides[rewrite] ?? "content", rewrite);
  return { title: TITLE, slides: slides.map(write) };
}

function transcribe() {
  const words = SPOKEN.map((word, at) => {
    const start = at * SECONDS_PER_WORD;
    return { word, start, end: start + SECONDS_PER_WORD };
  });
  const end = SPOKEN.length * SECONDS_PER_WORD;
  const text = `${SPOKEN.join(" ")}.`;
  return { language: "english", duration: end, text, words, segments: [{ id: 0, start: 0, end, text }] };
}

/** A direction that depends on the text alone and means nothing: results are real posts in a fixed order. */
function embed(text: string, index: number) {
  const bytes = Array.from({ length: DIMENSIONS / 32 }, (_, block) => [...digest(`${block}:${text}`)]).flat();
  const length = Math.hypot(...bytes.map((byte) => byte - 127.5));
  return { index, embedding: bytes.map((byte) => (byte - 127.5) / length) };
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();
