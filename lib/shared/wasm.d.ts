// A .wasm file is imported as a compiled module, not yet instantiated.
declare module "*.wasm" {
  const compiled: WebAssembly.Module;
  export default compiled;
}

/** Declared separately because the package types this import as the exports of an instance. */
declare module "@takumi-rs/wasm/takumi_wasm_bg.wasm" {
  const compiled: WebAssembly.Module;
  export default compiled;
}
