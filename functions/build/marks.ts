// The networks' marks for the style of the dashboard.
import type { Plugin } from "esbuild";
import { siBluesky, siFacebook, siInstagram, siPinterest, siThreads, siTiktok, siX, siYoutube } from "simple-icons";

/** LinkedIn permits no collection of icons to have its logo; it is written as letters. */
const MARKS = {
  tiktok: siTiktok,
  instagram: siInstagram,
  youtube: siYoutube,
  twitter: siX,
  pinterest: siPinterest,
  threads: siThreads,
  facebook: siFacebook,
  bluesky: siBluesky,
};

/** `@import "marks"`: the networks' marks by simple-icons as masks, so that a page with hundreds has one element for each. */
export const marks: Plugin = {
  name: "marks",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^marks$/ }, ({ path }) => ({ path, namespace: "marks" }));
    onLoad({ filter: /.*/, namespace: "marks" }, () => ({
      loader: "css",
      contents: Object.entries(MARKS)
        .map(([platform, { svg }]) => `.mark.${platform}{--mark:url("data:image/svg+xml,${encodeURIComponent(svg)}")}`)
        .join(""),
    }));
  },
};
