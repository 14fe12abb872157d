// Puts what the Worker serves as static files into .assets/: the reference page's script, from its package, and its document.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../.assets");
const scalar = join(import.meta.dirname, "../../node_modules/@scalar/api-reference");
await mkdir(folder, { recursive: true });
await copyFile(join(scalar, "dist/browser/standalone.js"), join(folder, "reference.js"));
await copyFile(join(import.meta.dirname, "../../functions/openapi.json"), join(folder, "reference.json"));
