// What exists inside the runtime only, and files that arrive as data URLs because a Worker has no disk.
/// <reference types="@cloudflare/vitest-plugin/types" />

declare module "*?inline" {
  const dataUrl: string;
  export default dataUrl;
}

declare namespace Cloudflare {
  interface Env {
    ASSETS: Fetcher;
    FONTS: Fetcher;
  }
}
