// Says which step of a start is under way, and again every ten seconds while it takes longer than that.
const REMINDER_MS = 10_000;

export interface StepAnnouncer {
  /** Ends the step before it. */
  begin(step: string): void;
  end(): void;
}

export function announceSteps(log: (line: string) => void): StepAnnouncer {
  let reminder: NodeJS.Timeout | undefined;
  const end = () => clearInterval(reminder);
  return {
    begin(step) {
      end();
      log(step);
      let seconds = 0;
      reminder = setInterval(() => {
        seconds += REMINDER_MS / 1000;
        log(`still waiting for: ${step} (${seconds} s)`);
      }, REMINDER_MS);
      reminder.unref();
    },
    end,
  };
}
