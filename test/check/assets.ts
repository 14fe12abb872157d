// Puts what the Worker serves as static files into .assets/: the script of the reference page, from its package.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../.assets");
const scalar = join(import.meta.dirname, "../../node_modules/@scalar/api-reference");
await mkdir(folder, { recursive: true });
await copyFile(join(scalar, "dist/browser/standalone.js"), join(folder, "reference.js"));
