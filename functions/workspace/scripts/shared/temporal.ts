// The browser's own Temporal, or the package where there is none: it is a file of its own, loaded only then.
if (!("Temporal" in globalThis)) await import("temporal-polyfill/global");

export {};
