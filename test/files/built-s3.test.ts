// The S3 client of the bundle sends the requests and signs the URLs of the whole package, and reads the same from responses.
import { createRequire } from "node:module";
import * as builtClient from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { expect, test } from "vitest";

// Modules that Node loads itself are not replaced.
const wholeOf = createRequire(import.meta.url);
const whole = {
  client: wholeOf("@aws-sdk/client-s3") as typeof builtClient,
  sign: wholeOf("@aws-sdk/s3-request-presigner").getSignedUrl as typeof getSignedUrl,
};
const built = { client: builtClient, sign: getSignedUrl };

const UploadId = "u+/=";
const Body = new TextEncoder().encode("hello");
const Parts = [1, 2].map((PartNumber) => ({ PartNumber, ETag: `"e&${PartNumber}"` }));
const COMMANDS = {
  AbortMultipartUploadCommand: { UploadId },
  CompleteMultipartUploadCommand: { UploadId, MultipartUpload: { Parts } },
  CopyObjectCommand: { CopySource: "uploads/ä b.png", CopySourceIfMatch: '"x"', MetadataDirective: "REPLACE" },
  CreateMultipartUploadCommand: { ContentType: "video/mp4" },
  DeleteObjectCommand: {},
  GetObjectCommand: {},
  HeadObjectCommand: {},
  ListPartsCommand: { UploadId },
  PutObjectCommand: { Body, ContentType: "text/plain", CacheControl: "no-store" },
  UploadPartCommand: { UploadId, PartNumber: 3, Body },
} as const;

const ENDPOINTS = ["https://a.r2.example.com", "http://127.0.0.1:9000/local/s3", "https://s3.example.com:8443/base/"];
const LISTING = `<ListBucketResult><Contents><Key>a&amp;b</Key><LastModified>2026-11-20T01:02:03.456Z</LastModified><ETag>"e"</ETag><Size>12</Size></Contents></ListBucketResult>`;
const RESPONSES: [number, string][] = [
  [200, ""],
  [200, LISTING],
  [200, `<ListPartsResult><Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part></ListPartsResult>`],
  [200, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"],
  // CopyObject and CompleteMultipartUpload report errors after their status.
  [200, "<Error><Code>InternalError</Code><Message>no</Message></Error>"],
  [400, "<Error><Code>InvalidPart</Code><Message>no</Message></Error>"],
  [404, "<Error><Code>NoSuchUpload</Code><Message>no</Message></Error>"],
  [412, "<Error><Code>PreconditionFailed</Code><Message>no</Message></Error>"],
  [503, "not XML"],
];

type HttpRequest = Record<"method" | "protocol" | "hostname" | "path", string> & {
  headers: Record<string, string>;
  port?: number;
  query?: object;
  body?: unknown;
};

type Name = keyof typeof COMMANDS;

/** Random ids, the time and the version of the client differ in every request. */
const isVolatile = (header: string) => /user-agent|^amz-sdk|^authorization$|^x-amz-date$/.test(header);

async function send(
  { client, sign }: typeof built,
  endpoint: string,
  name: Name,
  [statusCode, text]: [number, string],
) {
  const sent: unknown[] = [];
  const s3 = new client.S3Client({
    endpoint,
    region: "auto",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1,
    requestHandler: {
      async handle({ headers, body, method, protocol, hostname, port, path, query }: HttpRequest) {
        const kept = Object.entries(headers).filter(([header]) => !isVolatile(header));
        sent.push({ headers: Object.fromEntries(kept), body, method, protocol, hostname, port, path, query });
        const response = { statusCode, headers: { "x-amz-request-id": "id" }, body: new Blob([text]).stream() };
        return { response: response as never };
      },
    },
  });
  const Command = client[name] as new (input: object) => builtClient.GetObjectCommand;
  const input = { Bucket: "uploads", Key: "ä/b+c d.png", ...COMMANDS[name] };
  const result = await s3.send(new Command(input)).then(
    (output: object) => ({ ...output, Body: null }),
    ({ name, message, Code, $metadata }) => ({ name, message, Code, $metadata }),
  );
  const upload = new Command({ ...input, Body: undefined, ContentLength: name === "PutObjectCommand" ? 7 : undefined });
  const url = await sign(s3, upload, {
    expiresIn: 600,
    signingDate: new Date("2026-11-26T10:00:00Z"),
    signableHeaders: new Set(["content-type", "content-length", "host"]),
  });
  return { sent, result, url };
}

test("the tests have the client of the bundle", () => {
  expect(built.client.S3Client).not.toBe(whole.client.S3Client);
});

test.each(Object.keys(COMMANDS) as Name[])("%s is sent, signed and read as by the whole package", async (name) => {
  for (const endpoint of ENDPOINTS) {
    for (const response of RESPONSES) {
      expect(await send(built, endpoint, name, response)).toEqual(await send(whole, endpoint, name, response));
    }
  }
});
