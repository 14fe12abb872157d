// The link that `npm start` prints: each time it is opened, it signs the seeded owner in and leads to the dashboard. It belongs
// to the local stack, which has the mails; the service itself has no such door.
import type { CallCounter } from "./call-counter.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { signInOwner } from "./sign-in-link.ts";

const PATH = "/sign-in";

interface Options {
  calls: CallCounter;
  /** The origin of the Worker. */
  origin: string;
  mailsUrl: string;
}

/** Cookies belong to a host and not to a port, so that those of this server reach the Worker. */
export async function startSignInServer({ calls, origin, mailsUrl }: Options): Promise<HttpServer & { link: string }> {
  /** Of the last session: shared once an hour's codes are used up. */
  let last: string[] | null = null;
  const signIn = async (userAgent: string | undefined) => {
    try {
      last = await signInOwner(origin, mailsUrl, userAgent);
    } catch (error) {
      if (last === null) throw error;
    }
    return last;
  };
  const server = await startHttpServer({
    name: "sign-in",
    calls,
    port: 0,
    async handle(request, response) {
      const { pathname } = new URL(request.url ?? "/", "http://sign-in");
      if (request.method !== "GET" || pathname !== PATH) return void response.writeHead(404).end();
      try {
        const cookies = await signIn(request.headers["user-agent"]);
        const dashboard = new URL("/dashboard", origin);
        if (request.headers.host?.startsWith("localhost:")) dashboard.hostname = "localhost";
        response.writeHead(302, { "Set-Cookie": cookies, Location: dashboard.href, "Cache-Control": "no-store" });
        response.end();
      } catch (error) {
        response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8" });
        response.end(`Signing in did not work: ${(error as Error).message} Sign in with a code: ${origin}/dashboard\n`);
      }
    },
  });
  return { ...server, link: `${server.url}${PATH}` };
}
