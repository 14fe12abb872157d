// A package that has changed fails the build: what an edit should remove would silently be in the bundle again.
import { build } from "esbuild";
import { expect, test } from "vitest";
import { editPackages, replaceIn } from "../../functions/build/edit-packages.ts";

const FILE = "yocto-queue/index.js";

async function bundle(edits: Parameters<typeof editPackages>[0]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: 'export { default } from "yocto-queue";', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: "esm",
    plugins: [editPackages(edits)],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

test("a file is bundled as its edit returns it", async () => {
  expect(await bundle({ [FILE]: () => 'export default "edited";' })).toContain('"edited"');
});

test("a file that is not bundled fails the build", async () => {
  await expect(bundle({ "yocto-queue/renamed.js": (source) => source })).rejects.toThrow(
    "yocto-queue/renamed.js is not bundled",
  );
});

test("a pattern that matches nothing fails the build", async () => {
  await expect(bundle({ [FILE]: (source) => replaceIn(source, /not there/, "") })).rejects.toThrow("Nothing matches");
});
