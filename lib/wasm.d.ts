// A .wasm file is imported as a compiled module that is yet to be given its imports.
declare module "*.wasm" {
  const compiled: WebAssembly.Module;
  export default compiled;
}

/** Named in full because the package declares what an instance exports, which is not what an import of the file gives. */
declare module "@takumi-rs/wasm/takumi_wasm_bg.wasm" {
  const compiled: WebAssembly.Module;
  export default compiled;
}
