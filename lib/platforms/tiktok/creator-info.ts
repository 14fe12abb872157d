// Imports nothing, because the composer's script in the browser has the type too.

/** The limits of an account at the moment. */
export interface Creator {
  username: string | null;
  nickname: string | null;
  avatarUrl: string | null;
  privacyLevels: string[];
  commentsDisabled: boolean;
  duetDisabled: boolean;
  stitchDisabled: boolean;
  /** The longest video; null when TikTok does not report it. */
  maxSeconds: number | null;
}
