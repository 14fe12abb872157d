// Types of the Workers runtime, and files that are imported as data URLs because a Worker has no disk.
/// <reference types="@cloudflare/vitest-plugin/types" />

declare module "*?inline" {
  const dataUrl: string;
  export default dataUrl;
}

declare namespace Cloudflare {
  interface Env {
    ASSETS: Fetcher;
    FONTS: Fetcher;
    IMAGES: ImagesBinding;
  }
}
