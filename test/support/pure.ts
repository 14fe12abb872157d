// Setup of the project `pure`: a test that calls the network fails.
globalThis.fetch = () => {
  throw new Error("A pure test must not call fetch; without `.pure` in its name it runs on the local stack.");
};
