// A process with a real Bluesky server (PDS) and its directory of identities (PLC), both on this machine only.
// Prints one line of JSON once both respond. Arguments: the ports of the server and of the directory, and a folder.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PDS_FOLDER } from "./install.ts";

interface Startable {
  start(): Promise<unknown>;
}

/** The types of the two packages, which a plain install does not have, as far as they are used. */
interface PdsPackage {
  PDS: { fromEnv(env: Record<string, unknown>): Promise<Startable> };
}
interface DirectoryPackage {
  Database: { mock(): unknown };
  PlcServer: { create(options: { db: unknown; port: number }): Startable };
}

const [port, directoryPort, folder = ""] = process.argv.slice(2);
// Ends with the process that started it, however that ends.
process.once("disconnect", () => process.exit());

/** Documents at URLs of the internet that the server may read, such as a client's metadata; the test sends them. */
const documents = new Map<string, unknown>();
process.on("message", ({ url, json }: { url: string; json: unknown }) => documents.set(url, json));
const fetchFromNetwork = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const document = documents.get(input instanceof Request ? input.url : String(input));
  return document === undefined ? fetchFromNetwork(input, init) : Response.json(document);
};

const packages = createRequire(join(PDS_FOLDER, "package.json"));
const load = (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href);

function resolve(name: string): string {
  return packages.resolve(name);
}

const { Database, PlcServer } = (await load("@did-plc/server")) as DirectoryPackage;
await PlcServer.create({ db: Database.mock(), port: Number(directoryPort) }).start();

const data = join(folder, "data");
mkdirSync(data, { recursive: true });
const { PDS } = (await load("@atproto/pds")) as PdsPackage;
const server = await PDS.fromEnv({
  devMode: true,
  port: Number(port),
  hostname: "localhost",
  dataDirectory: data,
  blobstoreDiskLocation: join(folder, "blobs"),
  blobUploadLimit: 300_000_000,
  didPlcUrl: `http://localhost:${directoryPort}`,
  plcRotationKeyK256PrivateKeyHex: randomBytes(32).toString("hex"),
  jwtSecret: randomBytes(32).toString("hex"),
  adminPassword: randomBytes(32).toString("hex"),
  serviceHandleDomains: [".test"],
  inviteRequired: false,
  disableSsrfProtection: true,
});
await server.start();
console.log(JSON.stringify({ url: `http://localhost:${port}`, directoryUrl: `http://localhost:${directoryPort}` }));
