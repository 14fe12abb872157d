// libwebp compiled to WebAssembly, loaded on first use.

/** Decodes a file with a single image. Returns its size, or null when libwebp rejects the data. */
export type DecodeWebp = (file: Uint8Array) => { width: number; height: number } | null;

let loading: Promise<DecodeWebp> | null = null;

/**
 * One shared instance: its memory grows to that of the largest image, and a dropped instance is garbage-collected
 * late.
 */
export function openWebpDecoder(): Promise<DecodeWebp> {
  loading ??= loadDecoder();
  return loading;
}

async function loadDecoder(): Promise<DecodeWebp> {
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
      // An instance that threw may be in an inconsistent state; load a new one next time.
      loading = null;
      return null;
    }
  };
}
