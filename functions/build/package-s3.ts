// The S3 packages without what lib/services/storage.ts does not use: 54 of 86 KiB gzip.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type PackageSource, replaceIn } from "./edit-packages.ts";

const CLIENT = "@aws-sdk/client-s3/dist-es";
const CHECKSUMS = "@aws-sdk/checksums/dist-es/submodules";

const STORAGE = join(import.meta.dirname, "../../lib/services/storage.ts");

export const S3: PackageSource = {
  exports: exportImports(readFileSync(STORAGE, "utf8")),
  edits: {
    [`${CLIENT}/schemas/schemas_0.js`]: inlineKeys,
    // Only the version.
    [`${CLIENT}/runtimeConfig.browser.js`]: (source) =>
      replaceIn(
        replaceIn(source, /import packageInfo from/, "import { version } from"),
        /\bpackageInfo\.version\b/,
        "version",
      ),
    // The endpoint is a setting and buckets are in its path, so the rules for endpoints of AWS are not needed.
    [`${CLIENT}/endpoint/endpointResolver.js`]: () => RESOLVER,
    // These tables are for those rules.
    "@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js": () =>
      "export const partitionsInfo = null;",
    // No command has a stream of events.
    "@smithy/core/dist-es/submodules/event-streams/index.browser.js": () =>
      "export const EventStreamSerde = null, eventStreamSerdeProvider = null, resolveEventStreamSerdeConfig = (config) => config;",
    // Requests for several regions of AWS have signatures of their own.
    "@aws-sdk/signature-v4-multi-region/dist-es/index.js": () =>
      'export { SignatureV4 as SignatureV4MultiRegion, SignatureV4 as SignatureV4SignWithCredentials } from "@smithy/signature-v4";',
    // Checksums are calculated where required, and no command requires one.
    [`${CHECKSUMS}/flexible-checksums/getFlexibleChecksumsPlugin.js`]: () =>
      "export const getFlexibleChecksumsPlugin = () => ({ applyToStack() {} });",
    [`${CHECKSUMS}/sha/sha1/Sha1Js.js`]: () => "export const Sha1Js = null;",
  },
};

/** Exports what a module imports of the SDK. */
function exportImports(source: string): string {
  const imports = source.match(/^import \{[^}]*\} from "@aws-sdk\/.*";$/gm) ?? [];
  return imports.map((text) => text.replace(/^import/, "export")).join("\n");
}

/** As the rules do for a custom endpoint with `forcePathStyle`. */
const RESOLVER = `
export function defaultEndpointResolver({ Endpoint, Bucket, Region }) {
  const url = new URL(Endpoint);
  if (Bucket) url.pathname = url.pathname.replace(/\\/?$/, "/" + encodeURIComponent(Bucket));
  const scheme = { name: "sigv4", disableDoubleEncoding: true, signingName: "s3", signingRegion: Region };
  return { url, properties: { authSchemes: [scheme] }, headers: {} };
}`;

/** The keys of schemas are constants, `{ [_hH]: 1 }`, in which esbuild sees side effects: it would keep the schemas of all commands. */
function inlineKeys(source: string): string {
  const constants = new Map([...source.matchAll(/^const (\w+) = (".*");$/gm)].map(([, name, value]) => [name, value]));
  return replaceIn(source, /\[(_\w+)\]: /g, (whole, name) => `${constants.get(name) ?? whole.slice(0, -2)}: `);
}
