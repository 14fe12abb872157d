// How soon each bad file of the corpus is refused, over HTTP.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { badFiles } from "../media/bad.ts";
import { makeCorpus } from "../media/corpus.ts";
import type { Tools } from "../media/tools.ts";
import { clientOf, postPatiently } from "./client.ts";
import type { Context, Table } from "./section.ts";

const REFUSED_WITHIN_MS = 5_000;

export async function measureRefusals(tools: Tools, context: Context): Promise<Table> {
  const folder = join(context.folder, "corpus");
  await mkdir(folder);
  const files = await badFiles(tools, folder, await makeCorpus(tools, folder));
  const api = clientOf(context, "workspace");
  const broken: string[] = [];
  const times = new Map<string, { name: string; ms: number }[]>();
  for (const { name, contentType, bytes } of files) {
    const started = await api.call<{ id: string; uploadUrl: string; headers: Record<string, string> }>(
      "POST",
      "/files",
      {
        body: { contentType },
      },
    );
    await fetch(started.uploadUrl, { method: "PUT", headers: started.headers, body: new Uint8Array(bytes) });
    const { answer, ms } = await postPatiently(context, `/files/${started.id}/finalize`, {});
    if (answer.status !== 400) broken.push(`${name} (${contentType}) was answered with ${answer.status}`);
    if (ms >= REFUSED_WITHIN_MS) broken.push(`${name} was refused after ${Math.round(ms)} ms`);
    await answer.arrayBuffer();
    times.set(contentType, [...(times.get(contentType) ?? []), { name, ms }]);
  }
  const rows = [...times].map(([contentType, all]) => {
    const sorted = all.toSorted((a, b) => a.ms - b.ms);
    const [median, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return {
      "declared as": contentType,
      files: all.length,
      "median ms": Math.round(median?.ms ?? 0),
      "most ms": Math.round(worst?.ms ?? 0),
      "which one": worst?.name ?? "",
    };
  });
  return {
    title: "Refusing bad files",
    note: `Milliseconds of a finalize over HTTP, the deletion of the bytes included. Promised: under ${REFUSED_WITHIN_MS}.`,
    rows,
    broken,
  };
}
