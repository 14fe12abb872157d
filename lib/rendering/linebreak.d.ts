// Types of what line-breaks.ts uses of the package `linebreak`, which has none.
declare module "linebreak" {
  export default class LineBreaker {
    constructor(text: string);
    /** The UTF-16 offset after which a line may break; the last one is the end of the text, then null follows. */
    nextBreak(): { position: number } | null;
  }
}
