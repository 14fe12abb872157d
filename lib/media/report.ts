// What an answer tells of a file: the file, what its bytes are attested to be, and where it may be posted.
import { fitOf } from "../publishing/fit.ts";
import type { FileRow } from "../queries/files.ts";

export function report(file: FileRow) {
  return { file, attestation: file.kind === "video" ? attest(file) : undefined, fit: fitOf(file) };
}

function attest(file: FileRow) {
  return {
    sha256: file.sha256,
    sizeBytes: file.size,
    durationMs: file.durationMs ?? 0,
    width: file.width,
    height: file.height,
    hasVideoStream: file.hasVideo,
    hasAudioStream: file.hasAudio,
  };
}
