// libwebp compiled to WebAssembly, opened when the first picture comes.

/** Decodes a file with one picture in it; answers the size of the picture, or null when libwebp refuses the data. */
export type DecodeWebp = (file: Uint8Array) => { width: number; height: number } | null;

let opened: Promise<DecodeWebp> | null = null;

/**
 * The same one for all pictures, because each takes the memory of the largest it ever decoded, and whatever is dropped
 * lies about for long.
 */
export function openWebp(): Promise<DecodeWebp> {
  opened ??= open();
  return opened;
}

async function open(): Promise<DecodeWebp> {
  const [{ default: compiled }, { default: start }] = await Promise.all([
    import("@jsquash/webp/codec/dec/webp_dec.wasm"),
    import("@jsquash/webp/codec/dec/webp_dec.js"),
  ]);
  const decoder: { decode: DecodeWebp } = await start({
    noInitialRun: true,
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(compiled, imports);
      done(instance);
      return instance.exports;
    },
  });
  return (file) => {
    try {
      return decoder.decode(file);
    } catch {
      // What it threw in the middle of is not to be gone on with.
      opened = null;
      return null;
    }
  };
}
