// A fake mail service with the wire format of Resend: it keeps every mail, lists them, and prints them in the terminal.
import * as z from "zod";
import type { CallCounter } from "./call-counter.ts";
import { parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";

const MailRequest = z.object({
  from: z.string().min(1),
  to: z.array(z.email()).min(1).max(50),
  subject: z.string().min(1),
  text: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
});

export interface ReceivedMail extends z.output<typeof MailRequest> {
  id: string;
  at: string;
}

const MAX_MAILS = 200;

export async function startMail({ port, calls, key }: { port: number; calls: CallCounter; key: string }) {
  const mails: ReceivedMail[] = [];
  const mailByIdempotencyKey = new Map<string, ReceivedMail>();
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
      const known = mailByIdempotencyKey.get(idempotencyKey);
      const mail = { id: known?.id ?? crypto.randomUUID(), at: known?.at ?? new Date().toISOString(), ...parsed.data };
      // https://resend.com/docs/dashboard/emails/idempotency-keys, read 2026-11-24: the same key means the same mail.
      if (known && JSON.stringify(known) !== JSON.stringify(mail))
        return sendJson(response, 409, { name: "invalid_idempotent_request" });
      if (!known) {
        mailByIdempotencyKey.set(idempotencyKey, mail);
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
