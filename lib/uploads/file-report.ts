// The response body for a file: the file, the attestation of its bytes, and which networks accept it.
import { findFileWarnings, getPlatformFit } from "../publishing/platform-fit.ts";
import { type FileRow, withContext } from "../queries/files.ts";

/** A file without the place of its bytes. */
type ReportedFile = Omit<FileRow, "objectKey">;

export function toFileReport(file: ReportedFile) {
  const attestation = file.kind === "video" ? toAttestation(file) : undefined;
  return { file: withContext(file), attestation, fit: getPlatformFit(file) };
}

/** The fields of the file, and all that its report says. */
export function toFileDetails(file: ReportedFile) {
  const report = toFileReport(file);
  return { ...report.file, ...report };
}

function toAttestation(file: ReportedFile) {
  return {
    sha256: file.sha256,
    sizeBytes: file.size,
    durationMs: file.durationMs ?? 0,
    width: file.width,
    height: file.height,
    hasVideoStream: file.hasVideo,
    hasAudioStream: file.hasAudio,
    mirrored: file.details.mirrored === true ? (true as const) : undefined,
    warnings: findFileWarnings(file),
  };
}
