// A queue binding of the Worker that collects its messages.

/** A queue that hands each message of a batch to `collect`, with the delay of the batch. */
export function createQueue<Message>(collect: (sent: Message & { delaySeconds: number }) => void) {
  return {
    async sendBatch(messages: { body: Message }[], { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
      for (const { body } of messages) collect({ ...body, delaySeconds });
    },
  };
}
