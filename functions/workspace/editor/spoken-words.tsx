// The spoken words of a project: a word shows its place in the player.
import type { FC } from "hono/jsx";
import { findAudibleClips, fingerprintClips } from "../../../lib/editor/audible-clips.ts";
import type { StoredProject } from "../../../lib/queries/editor.ts";
import type { ProjectTranscript } from "../../../lib/shared/project-document.ts";
import { formatTime } from "../scripts/shared/time.ts";

/** About a quarter of an hour of speech. */
const MAX_WORDS = 2_000;
/** A longer silence begins a new line. */
const PAUSE_MS = 1_000;

interface SpokenWordsProps {
  project: StoredProject;
  transcript: ProjectTranscript | null;
}

export const SpokenWords: FC<SpokenWordsProps> = ({ project, transcript }) => {
  const words = transcript?.words ?? [];
  const isCurrent = transcript?.cut === fingerprintClips(findAudibleClips(project.document));
  return (
    <section class="card" aria-labelledby="spoken-title" data-part="spoken">
      <h2 id="spoken-title">What was said</h2>
      {transcript === null ? (
        <p class="hint">It is heard when captions are written.</p>
      ) : words.length === 0 ? (
        <p class="hint">No speech was found in the clips.</p>
      ) : (
        <>
          {!isCurrent && (
            <p class="hint">The clips were changed after this was heard, so the places may be other ones now.</p>
          )}
          <ol class="spoken">
            {groupByPauses(words.slice(0, MAX_WORDS)).map((line) => (
              <li>
                <span class="time">{formatTime(line[0]?.start_ms ?? 0)}</span>{" "}
                <span dir="auto">
                  {line.map(({ text, start_ms }) => (
                    <>
                      <button type="button" class="word" data-seek={start_ms}>
                        {text}
                      </button>{" "}
                    </>
                  ))}
                </span>
              </li>
            ))}
          </ol>
          {words.length > MAX_WORDS && (
            <p class="hint">
              The first {MAX_WORDS} of {words.length} words.
            </p>
          )}
        </>
      )}
    </section>
  );
};

function groupByPauses(words: ProjectTranscript["words"]): ProjectTranscript["words"][] {
  const lines: ProjectTranscript["words"][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const word of words) {
    if (word.start_ms - end > PAUSE_MS) lines.push([]);
    lines.at(-1)?.push(word);
    end = word.end_ms;
  }
  return lines;
}
