// The table of contents: every endpoint of the service, sorted.
export { default as accountsList } from "./accounts/list.ts";
export { default as filesFinalize } from "./files/finalize.ts";
export { default as filesStart } from "./files/start.ts";
export { default as postsCommit } from "./posts/commit.ts";
export { default as postsCreate } from "./posts/create.ts";
export { default as postsDelete } from "./posts/delete.ts";
export { default as postsGet } from "./posts/get.ts";
export { default as postsList } from "./posts/list.ts";
export { default as postsPrepare } from "./posts/prepare.ts";
export { default as postsRetry } from "./posts/retry.ts";
export { default as postsUpdate } from "./posts/update.ts";
