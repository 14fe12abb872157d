// A fake mail service with the wire format of Resend: it keeps every mail, lists them, and prints them in the terminal.
import * as z from "zod";
import type { CallCounter } from "./call-counter.ts";
import { parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";

const MailRequest = z.object({
  from: z.string().min(1),
  to: z.array(z.email()).min(1).max(50),
  subject: z.string().min(1),
  text: z.string().min(1),
});

export interface ReceivedMail extends z.output<typeof MailRequest> {
  id: string;
  at: string;
}

const MAX_MAILS = 200;

export async function startMail({ port, calls, key }: { port: number; calls: CallCounter; key: string }) {
  const mails: ReceivedMail[] = [];
  const idByIdempotencyKey = new Map<string, string>();
  let print: (mail: ReceivedMail) => void = () => {};

  const server = await startHttpServer({
    name: "mail",
    calls,
    port,
    async handle(request, response) {
      const { pathname } = new URL(request.url ?? "/", "http://mail");
      if (request.method === "GET" && pathname === "/_mails") return sendJson(response, 200, mails);
      if (request.method !== "POST" || pathname !== "/emails") return sendJson(response, 404, { name: "not_found" });
      if (request.headers.authorization !== `Bearer ${key}`)
        return sendJson(response, 401, { name: "missing_api_key" });
      const parsed = MailRequest.safeParse(parseJson(await readText(request)));
      if (!parsed.success)
        return sendJson(response, 422, { name: "validation_error", message: z.prettifyError(parsed.error) });
      const idempotencyKey = String(request.headers["idempotency-key"] ?? crypto.randomUUID());
      const known = idByIdempotencyKey.get(idempotencyKey);
      const mail = { id: known ?? crypto.randomUUID(), at: new Date().toISOString(), ...parsed.data };
      if (!known) {
        idByIdempotencyKey.set(idempotencyKey, mail.id);
        mails.unshift(mail);
        mails.length = Math.min(mails.length, MAX_MAILS);
        print(mail);
      }
      sendJson(response, 200, { id: mail.id });
    },
  });
  return {
    ...server,
    /** Calls `listener` for every mail from now on. */
    onMail(listener: (mail: ReceivedMail) => void) {
      print = listener;
    },
  };
}
