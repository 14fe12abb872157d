// The link that signs the owner of the local stack in, each time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { type HttpServer, parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";
import { OWNER_EMAIL } from "./seed.ts";
import { startSignInServer } from "./sign-in-server.ts";

const calls = createCallCounter();
/** Stands for the Worker and for the mails that it sends: the last code is the right one. */
let service: HttpServer;
let signIn: Awaited<ReturnType<typeof startSignInServer>>;
const mails: { id: string; to: string[]; text: string }[] = [];

beforeAll(async () => {
  service = await startHttpServer({
    name: "service",
    calls,
    port: 0,
    async handle(request, response) {
      if (request.url === "/_mails") return sendJson(response, 200, mails);
      const body = parseJson(await readText(request)) as { email: string; otp?: string };
      if (request.url?.endsWith("send-verification-otp")) {
        const code = String(100_000 + mails.length);
        mails.unshift({ id: code, to: [body.email], text: `Open http://x/dashboard/sign-in#${code}` });
        return sendJson(response, 200, {});
      }
      if (body.otp !== mails[0]?.id || body.email !== OWNER_EMAIL) return sendJson(response, 400, {});
      response.setHeader("Set-Cookie", [`session=${body.otp}; Path=/; HttpOnly`, "browser=1; Path=/"]);
      sendJson(response, 200, { agent: request.headers["user-agent"] });
    },
  });
  signIn = await startSignInServer({ calls, origin: service.url, mailsUrl: `${service.url}/_mails` });
});
afterAll(() => Promise.all([service.close(), signIn.close()]));

const open = (url: string) => fetch(url, { redirect: "manual" });

test("302 to the dashboard with the cookies of a session, and with those of another one the next time", async () => {
  for (const code of ["100000", "100001"]) {
    const response = await open(signIn.link);
    expect([response.status, response.headers.get("location")]).toEqual([302, `${service.url}/dashboard`]);
    expect(response.headers.getSetCookie()).toEqual([`session=${code}; Path=/; HttpOnly`, "browser=1; Path=/"]);
  }
});

test("302 keeps the name localhost, whose cookies are others", async () => {
  const response = await open(signIn.link.replace("127.0.0.1", "localhost"));
  expect(response.headers.get("location")).toBe(`${service.url.replace("127.0.0.1", "localhost")}/dashboard`);
});

test("302 with the last session while no other code is sent", async () => {
  const last = (await open(signIn.link)).headers.getSetCookie();
  calls.stop("service", 60_000);
  const response = await open(signIn.link);
  calls.reset();
  expect([response.status, response.headers.getSetCookie()]).toEqual([302, last]);
});

test("503 says what did not work, 404 for another path", async () => {
  const unsigned = await startSignInServer({ calls, origin: service.url, mailsUrl: `${service.url}/_mails` });
  calls.stop("service", 60_000);
  const response = await open(unsigned.link);
  calls.reset();
  expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("Sign in with a code")]);
  expect((await open(`${signIn.link}/other`)).status).toBe(404);
  await unsigned.close();
});
