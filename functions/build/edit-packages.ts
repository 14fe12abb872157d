// Changes files of npm packages while they are bundled, so that esbuild can leave out what the Worker does not use.
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

export interface PackageSource {
  /** A module that exports what the Worker imports; the build fails if a package has not got a name. */
  exports: string;
  /** File in node_modules -> its new text. */
  edits: Record<string, (source: string) => string>;
}

const FOLDER = "/node_modules/";

/** Fails when a file that it should change is not bundled: after an update of the package it may have another name. */
export function editPackages(edits: PackageSource["edits"]): Plugin {
  return {
    name: "edit-packages",
    setup(build) {
      const missing = new Set(Object.keys(edits));
      build.onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
        const file = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
        const edit = edits[file];
        if (!edit) return null;
        missing.delete(file);
        return { contents: edit(await readFile(path, "utf8")), loader: "js" };
      });
      build.onEnd(() => ({
        errors: [...missing].map((file) => ({ text: `${file} is not bundled, so it is not changed.` })),
      }));
    },
  };
}

/** Fails when there is nothing to replace. */
export function replaceIn(source: string, pattern: RegExp, replace: string | ((...match: string[]) => string)): string {
  const result = source.replace(pattern, replace as string);
  if (result === source) throw new Error(`Nothing matches ${pattern}.`);
  return result;
}
