// The two functions used of a package that brings no types.
declare module "@ambassify/twitter-text/dist/parseTweet.js" {
  export default function parseTweet(text: string): { weightedLength: number };
}
declare module "@ambassify/twitter-text/dist/extractUrlsWithIndices.js" {
  export default function extractUrlsWithIndices(text: string): { url: string; indices: [number, number] }[];
}
