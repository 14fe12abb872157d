// What the examples of the guide use of Node.
declare const process: { env: Record<string, string | undefined> };
