// Lets Node import a .wasm file as workerd does: compiled, and not yet instantiated.
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

declare global {
  var loadsWasm: boolean | undefined;
}

// This file runs once per test file, and a worker runs many: one hook serves them all.
if (!globalThis.loadsWasm) {
  globalThis.loadsWasm = true;
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith(".wasm")) return next(url, context);
      const path = JSON.stringify(fileURLToPath(url));
      const source = `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(${path}));`;
      return { format: "module", source, shortCircuit: true };
    },
  });
}
