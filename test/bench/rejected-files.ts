// Measures over HTTP how fast each invalid file of the corpus is rejected.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildBadFiles } from "../media/bad-files.ts";
import { createCorpus } from "../media/corpus.ts";
import type { Tools } from "../media/media-tools.ts";
import { createClient, postWithLongTimeout } from "./client.ts";
import type { BenchContext, Table } from "./section.ts";

const MAX_REJECTION_MS = 5_000;

export async function measureRejections(tools: Tools, context: BenchContext): Promise<Table> {
  const folder = join(context.folder, "corpus");
  await mkdir(folder);
  const files = await buildBadFiles(tools, folder, await createCorpus(tools, folder));
  const api = createClient(context, "workspace");
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
    const { response, ms } = await postWithLongTimeout(context, `/files/${started.id}/finalize`, {});
    if (response.status !== 400) broken.push(`${name} (${contentType}) returned ${response.status}`);
    if (ms >= MAX_REJECTION_MS) broken.push(`${name} was rejected after ${Math.round(ms)} ms`);
    await response.arrayBuffer();
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
    title: "Rejecting invalid files",
    note: `Milliseconds of a finalize over HTTP, including the deletion of the bytes. Limit: ${MAX_REJECTION_MS}.`,
    rows,
    broken,
  };
}
