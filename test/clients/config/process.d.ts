// The examples of the guide use this of Node.
declare const process: { env: Record<string, string | undefined> };
