// A device with passkeys: P-256 keys, without attestation, as https://www.w3.org/TR/webauthn-3/ describes, read 2026-11-24.
// The tests in a browser use Chromium's own.
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

interface CreationOptions {
  challenge: string;
  rp: { id: string };
}

interface RequestOptions {
  challenge: string;
  rpId: string;
}

export function createAuthenticator({ checksHolder = true } = {}) {
  const id = randomBytes(16);
  let key: KeyObject | undefined;
  let counter = 0;

  const writeAuthenticatorData = (rpId: string, attested: Buffer) => {
    counter += 1;
    const flags = USER_PRESENT | (checksHolder ? USER_VERIFIED : 0) | (attested.length > 0 ? HAS_KEY : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), head, attested]);
  };

  return {
    create(origin: string, { challenge, rp }: CreationOptions) {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
      key = pair.privateKey;
      const model = Buffer.alloc(16);
      const length = Buffer.from([0, id.length]);
      const authData = writeAuthenticatorData(rp.id, Buffer.concat([model, length, id, writeCoseKey(pair.publicKey)]));
      const attestationObject = Buffer.concat([
        // A map of `fmt`: "none", `attStmt`: {} and `authData`, in CBOR.
        Buffer.from([0xa3, 0x63, ...Buffer.from("fmt"), 0x64, ...Buffer.from("none")]),
        Buffer.from([0x67, ...Buffer.from("attStmt"), 0xa0, 0x68, ...Buffer.from("authData"), 0x58, authData.length]),
        authData,
      ]);
      return toJson(id, {
        clientDataJSON: writeClientData("webauthn.create", origin, challenge),
        attestationObject,
      });
    },

    sign(origin: string, { challenge, rpId }: RequestOptions) {
      if (!key) throw new Error("the device has no passkey");
      const clientDataJSON = writeClientData("webauthn.get", origin, challenge);
      const authenticatorData = writeAuthenticatorData(rpId, Buffer.alloc(0));
      const hash = createHash("sha256").update(clientDataJSON).digest();
      const signature = createSign("sha256")
        .update(Buffer.concat([authenticatorData, hash]))
        .sign(key);
      return toJson(id, { clientDataJSON, authenticatorData, signature });
    },
  };
}

function writeClientData(type: string, origin: string, challenge: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** The map {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}, in CBOR. */
function writeCoseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const coordinate = (text: string) => [0x58, 32, ...Buffer.from(text, "base64url")];
  return Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, ...coordinate(x), 0x22, ...coordinate(y)]);
}

function toJson<Name extends string>(id: Buffer, parts: Record<Name, Buffer>) {
  const entries = Object.entries<Buffer>(parts).map(([name, bytes]) => [name, bytes.toString("base64url")]);
  const encoded = id.toString("base64url");
  const response = Object.fromEntries(entries) as Record<Name, string>;
  return { id: encoded, rawId: encoded, type: "public-key", clientExtensionResults: {}, response };
}
