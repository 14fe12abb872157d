// The response body for a file: the file, the attestation of its bytes, and which networks accept it.
import { findFileWarnings, getPlatformFit } from "../publishing/platform-fit.ts";
import { type FileRow, withContext } from "../queries/files.ts";

export function toFileReport(file: FileRow) {
  const attestation = file.kind === "video" ? toAttestation(file) : undefined;
  return { file: withContext(file), attestation, fit: getPlatformFit(file) };
}

function toAttestation(file: FileRow) {
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
