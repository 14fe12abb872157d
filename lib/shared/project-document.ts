// The stored document of an editor project, and the transcripts of its files. Times are in milliseconds.

/** A file that clips may use; immutable once it is in a project. */
export interface ProjectAsset {
  asset_id: string;
  file_id: string;
  type: "video" | "audio" | "image";
  url: string;
  /** Null for an image. */
  duration_ms: number | null;
  width: number;
  height: number;
  has_audio: boolean;
}

/** A range of an asset on the timeline. */
export interface ProjectClip {
  clip_id: string;
  asset_id: string;
  track: number;
  start_ms: number;
  end_ms: number;
  source_start_ms: number;
  source_end_ms: number;
  speed: number;
  volume: number;
  muted: boolean;
}

export interface ProjectTextClip {
  clip_id: string;
  text: string;
  start_ms: number;
  end_ms: number;
  role: string;
}

export interface ProjectDocument {
  assets: ProjectAsset[];
  clips: ProjectClip[];
  text_clips: ProjectTextClip[];
  /** The last change that can be undone, and the revision before it. */
  undo: { revision: number; label: string; at: string } | null;
  render: { status: "none" | "current" | "stale"; url: string | null; rendered_at: string | null };
}

/** A word on the timeline. */
export interface ProjectWord {
  text: string;
  start_ms: number;
  end_ms: number;
}

export interface ProjectTranscript {
  /** Fingerprint of the transcribed clips; another value means that the clips changed since. */
  cut: string;
  language: string | null;
  words: ProjectWord[];
}

/** A word in an asset, in milliseconds from its beginning. */
export interface TranscribedWord {
  text: string;
  start: number;
  end: number;
}

/** In milliseconds from the start of an asset. */
export interface TimeRange {
  startMs: number;
  endMs: number;
}

export interface TranscribedRange extends TimeRange {
  sha256: string;
  language: string | null;
  words: TranscribedWord[];
}
