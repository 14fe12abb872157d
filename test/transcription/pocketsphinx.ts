// A real recognizer behind the API of OpenAI: Debian's pocketsphinx with its English model, and recorded speech to recognize.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createCallCounter } from "../local/call-counter.ts";
import { sendJson, startHttpServer } from "../local/http-server.ts";

const PROGRAM = "/usr/bin/pocketsphinx_continuous";
const MODEL = "/usr/share/pocketsphinx/model/en-us";
const RECORDINGS = "/usr/share/pocketsphinx/test/data/librivox";
const WAV_HEADER_BYTES = 44;

export const hasPocketsphinx = [PROGRAM, MODEL, RECORDINGS].every((path) => existsSync(path));

if (!hasPocketsphinx) {
  const packages = "pocketsphinx pocketsphinx-en-us pocketsphinx-testdata";
  process.stderr.write(`Skipped: the test with a real recognizer: apt-get install ${packages}\n`);
}

/** The samples of a recording, 16,000 a second. */
export async function readRecording(name: string): Promise<Int16Array> {
  const bytes = await readFile(join(RECORDINGS, `sense_and_sensibility_01_austen_64kb-${name}.wav`));
  return new Int16Array(Uint8Array.from(bytes.subarray(WAV_HEADER_BYTES)).buffer);
}

/** Answers POST /v1/audio/transcriptions in the shape of verbose_json. */
export async function startPocketsphinx() {
  const calls = createCallCounter();
  const server = await startHttpServer({
    name: "pocketsphinx",
    calls,
    port: 0,
    async handle(request, response) {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = { "content-type": request.headers["content-type"] ?? "" };
      const file = (await new Response(Buffer.concat(chunks), { headers }).formData()).get("file");
      if (!(file instanceof File)) return sendJson(response, 400, { error: { message: "The file is missing." } });
      sendJson(response, 200, await recognize(new Uint8Array(await file.arrayBuffer())));
    },
  });
  return { url: `${server.url}/v1`, close: server.close };
}

/** The first line is the text; the others are `word start end confidence`, with silence and other readings marked. */
async function recognize(wav: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), "partner-api-speech-"));
  try {
    const path = join(folder, "sound.wav");
    await writeFile(path, wav);
    const args = ["-infile", path, "-time", "yes", "-logfn", "/dev/null"];
    const { stdout } = await promisify(execFile)(PROGRAM, args);
    const [texts, words]: [string[], object[]] = [[], []];
    for (const line of stdout.trim().split("\n")) {
      const [, word, start, end] = /^(\S+) ([\d.]+) ([\d.]+) [\d.]+$/.exec(line) ?? [];
      if (!word) texts.push(line);
      else if (!word.startsWith("<")) {
        words.push({ word: word.replace(/\(\d+\)$/, ""), start: Number(start), end: Number(end) });
      }
    }
    return { task: "transcribe", language: "english", text: texts.join(" "), words };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
