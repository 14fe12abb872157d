// The production client of the local object storage.
import { S3Client } from "@aws-sdk/client-s3";
import type { ObjectStorage } from "./storage.ts";

export function connectStorage({ endpoint, region, ...credentials }: ObjectStorage): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1,
  });
}
