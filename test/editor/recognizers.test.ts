// Captions over HTTP from what recognizers really return: odd words, segments, silence, and a real recognizer.
import type { IncomingMessage, ServerResponse } from "node:http";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createCallCounter } from "../local/call-counter.ts";
import { sendJson, startHttpServer } from "../local/http-server.ts";
import { createTestTenant } from "../support/harness.ts";
import { hasPocketsphinx, readRecording, startPocketsphinx } from "../transcription/pocketsphinx.ts";
import { createVideoWithSound } from "../transcription/spoken-video.ts";
import { createProject, createSpokenProject, requestCaptions, toComparableWords, uploadFile } from "./factories.ts";

/** A service of its own, so that no transcript is known already. */
const useService = (url: string) => ({ SPEECH_URL: url, SPEECH_API_KEY: "k", SPEECH_MODEL: newId() });

/** The captions that a project of four seconds gets when the service answers so. */
async function caption(answer: object) {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    for await (const _ of request);
    sendJson(response, 200, answer);
  };
  const server = await startHttpServer({ name: "answers", calls: createCallCounter(), port: 0, handle });
  try {
    const { api } = await createTestTenant();
    const project = await createSpokenProject(api, 4000, []);
    const response = await requestCaptions(api, project.project_id, { env: useService(`${server.url}/v1`) });
    const transcript = (await api.get(`/editor/projects/${project.project_id}/transcript`)).body.data;
    return { response, transcript, captions: response.status === 200 ? toComparableWords(response.body.data) : [] };
  } finally {
    await server.close();
  }
}

const word = (text: string, start: number | null, end: number | null) => ({ word: text, start, end });

test.each<[string, object, [string, number, number][]]>([
  [
    "half a surrogate pair and NUL",
    { text: "so good", words: [word("so\ud83d", 0, 0.5), word("go\u0000od", 0.5, 1)] },
    [["so good", 0, 1500]],
  ],
  [
    "segments alone",
    {
      text: "",
      segments: [
        { start: 0, end: 1, text: " Hello there." },
        { start: 2, end: 3, text: " Bye." },
      ],
    },
    [
      ["Hello there.", 0, 1500],
      ["Bye.", 2000, 3500],
    ],
  ],
  [
    "pieces, punctuation in the text and a word without a time",
    {
      text: "I'll do state-of-the-art, ok? $5.99.",
      words: [
        word("I", 0, 0.2),
        word("'ll", 0.2, 0.4),
        word("do", null, null),
        word("state", 0.6, 1),
        word("of", 1, 1.1),
        word("the", 1.1, 1.2),
        word("art", 1.2, 1.5),
        word("ok", 1.6, 2),
        word("$5", 2.4, 2.6),
        word("99", 2.6, 2.8),
      ],
    },
    [
      ["I'll do\nstate-of-the-art, ok?", 0, 2400],
      ["$5.99.", 2400, 3400],
    ],
  ],
  [
    "what is invented on silence",
    {
      text: "Thanks for watching!",
      segments: [{ start: 0, end: 4, text: " Thanks for watching!", no_speech_prob: 0.95 }],
    },
    [],
  ],
])("200 for %s", async (_, answer, expected) => {
  const { response, transcript, captions } = await caption(answer);
  expect([response.status, captions]).toEqual([200, expected]);
  expect(transcript.is_current).toBe(true);
});

test("502 that names the cause for a text without times", async () => {
  const { response } = await caption({ text: "Hello there.", usage: { type: "tokens" } });
  expect([response.status, response.body.error_code]).toEqual([502, "transcription_failed"]);
  expect(response.body.message).toContain("ask the operator of this service");
});

test.skipIf(!hasPocketsphinx)("200 captions of a recorded voice by a real recognizer", async () => {
  const recognizer = await startPocketsphinx();
  try {
    const { api } = await createTestTenant();
    const video = await createVideoWithSound(await readRecording("0870"));
    const project = await createProject(api, [await uploadFile(api, video, "video/quicktime")]);
    const response = await requestCaptions(api, project.project_id, { env: useService(recognizer.url) });
    expect([response.status, response.body.message]).toEqual([200, "Captions added."]);
    const { words, language } = (await api.get(`/editor/projects/${project.project_id}/transcript`)).body.data;
    expect(language).toBe("en");

    // What is read aloud, by the transcription of the recording; this recognizer mistakes some of the words.
    const spoken = "leisure to consider how much there might be".split(" ");
    const texts: string[] = words.map(({ text }: { text: string }) => text);
    expect(texts.join(" ")).toContain(spoken.join(" "));
    const consider = words[texts.indexOf("consider")];
    expect([consider.start_ms, consider.end_ms]).toEqual([2900, 3440]);
    const captions = toComparableWords(response.body.data);
    expect(captions.flatMap(([text]) => text.split(/\s/))).toEqual(texts);
    expect(captions.length).toBeGreaterThan(2);
    for (const [text, start, end] of captions) {
      expect(text.length).toBeLessThanOrEqual(42);
      expect(end - start).toBeLessThanOrEqual(3000);
      expect(end).toBeLessThanOrEqual(project.duration_ms);
    }
  } finally {
    await recognizer.close();
  }
});
