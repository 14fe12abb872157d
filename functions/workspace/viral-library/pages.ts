// Every page of the viral library.
import type { Page } from "../page.ts";
import { showLibrary } from "./overview.tsx";
import { showLibraryPost } from "./post.tsx";

export const viralLibraryPages: Page[] = [
  { id: "viral-library.show", method: "GET", path: "/viral-library", role: "viewer", handle: showLibrary },
  { id: "viral-library.post", method: "GET", path: "/viral-library/:postId", role: "viewer", handle: showLibraryPost },
];
