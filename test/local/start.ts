// `npm start`: the local stack and the Worker. With --stack-only no Worker, for a separate `npm run dev`.
// Code that an earlier start compiled is kept; the processes of the stack use it too.
import { enableCompileCache } from "node:module";
import { join } from "node:path";

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/compiled");
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import("./start-stack.ts");
