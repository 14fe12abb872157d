// The queues of the local stack: messages wait in this process, and as many consumers run at once as wrangler.toml grants.

/** Of one queue, as `[[queues.consumers]]` has them; times are in seconds. */
export interface ConsumerSettings {
  queue: string;
  max_batch_size?: number;
  max_batch_timeout?: number;
  max_retries?: number;
  max_concurrency?: number | null;
  retry_delay?: number;
  dead_letter_queue?: string;
}

interface Message {
  id: string;
  timestamp: Date;
  body: unknown;
  attempts: number;
}

/** The part of the result of a consumer that says which messages are repeated. */
export interface BatchResult {
  outcome: string;
  retryBatch: { retry: boolean; delaySeconds?: number };
  retryMessages: { msgId: string; delaySeconds?: number }[];
}

/** Runs a consumer with a batch. */
export type Consume = (queue: string, messages: Message[]) => Promise<BatchResult>;

/** A batch that a Worker sends by `sendBatch` of a queue binding. */
export interface SentBatch {
  queue: string;
  bodies: unknown[];
  delaySeconds: number;
}

/** At most so many consumers of one queue run at once: https://developers.cloudflare.com/queues/platform/limits/, read 2026-11-24. */
const PLATFORM_CONCURRENCY = 250;

export function createQueues(consumers: readonly ConsumerSettings[], consume: Consume) {
  const queues = new Map(consumers.map((settings) => [settings.queue, createQueue(settings)]));

  function createQueue(settings: ConsumerSettings) {
    const { queue: name, max_batch_size: size = 10, max_batch_timeout: wait = 5, max_retries: retries = 3 } = settings;
    const concurrency = settings.max_concurrency ?? PLATFORM_CONCURRENCY;
    const waiting: Message[] = [];
    let running = 0;
    let isWaiting = false;
    /** True when the messages have waited for the time of a batch, so that fewer make one too. */
    let isDue = false;

    function add(message: Message, delaySeconds: number): void {
      if (delaySeconds > 0) setTimeout(enqueue, delaySeconds * 1000, message);
      else enqueue(message);
    }

    function enqueue(message: Message): void {
      waiting.push(message);
      if (wait === 0) isDue = true;
      else if (!isWaiting) {
        isWaiting = true;
        setTimeout(endWait, wait * 1000);
      }
      dispatch();
    }

    function endWait(): void {
      isWaiting = false;
      isDue = true;
      dispatch();
    }

    function dispatch(): void {
      while (running < concurrency && waiting.length >= (isDue ? 1 : size)) {
        running += 1;
        void run(waiting.splice(0, size)).finally(() => {
          running -= 1;
          dispatch();
        });
      }
      if (waiting.length === 0) isDue = false;
    }

    async function run(batch: Message[]): Promise<void> {
      const result = await consume(name, batch).catch(() => null);
      const isRepeated = result?.outcome !== "ok" || result.retryBatch.retry;
      const delays = new Map(result?.retryMessages.map(({ msgId, delaySeconds }) => [msgId, delaySeconds]));
      for (const message of batch) {
        if (!isRepeated && !delays.has(message.id)) continue;
        const delay = delays.get(message.id) ?? result?.retryBatch.delaySeconds ?? settings.retry_delay ?? 0;
        if (message.attempts <= retries) add({ ...message, attempts: message.attempts + 1 }, delay);
        else if (settings.dead_letter_queue)
          queues.get(settings.dead_letter_queue)?.add({ ...message, attempts: 1 }, 0);
      }
    }

    return { add };
  }

  return {
    /** Throws for a queue without a consumer, whose messages nobody would get. */
    send({ queue: name, bodies, delaySeconds }: SentBatch): void {
      const queue = queues.get(name);
      if (!queue) throw new Error(`The queue ${name} has no consumer.`);
      for (const body of bodies)
        queue.add({ id: crypto.randomUUID(), timestamp: new Date(), body, attempts: 1 }, delaySeconds);
    },
  };
}
