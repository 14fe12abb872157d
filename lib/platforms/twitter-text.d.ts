// Types of the modules that are used from a package without types.
declare module "@ambassify/twitter-text/dist/parseTweet.js" {
  export default function parseTweet(text: string): { weightedLength: number };
}
declare module "@ambassify/twitter-text/dist/extractUrlsWithIndices.js" {
  export default function extractUrlsWithIndices(text: string): { url: string; indices: [number, number] }[];
}
declare module "@ambassify/twitter-text/dist/regexp/validGTLD.js" {
  const pattern: RegExp;
  export default pattern;
}
declare module "@ambassify/twitter-text/dist/regexp/validCCTLD.js" {
  const pattern: RegExp;
  export default pattern;
}
