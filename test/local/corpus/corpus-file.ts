import { access, rename, writeFile } from "node:fs/promises";

/** Writes JSON lines atomically: an import identifies its file by the content. */
export async function writeFileIfAbsent(file: string, lines: () => Iterable<object>): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) return;
  await writeFile(`${file}.part`, [...lines()].map((line) => `${JSON.stringify(line)}\n`).join(""));
  await rename(`${file}.part`, file);
}
