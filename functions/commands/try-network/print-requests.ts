// A fetch that prints each request and response without secrets.
import type { Redactor } from "./redact.ts";

export function createPrintingFetch(
  inner: typeof fetch,
  redactor: Redactor,
  log: (line: string) => void,
): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const authorization = new Headers(init?.headers).get("authorization");
    redactor.add(authorization?.split(" ").at(-1));
    // Secrets of the URL are known before the body is printed.
    const shownUrl = redactor.url(url);
    const body = redactor.body(init?.body);
    log(`-> ${init?.method ?? "GET"} ${shownUrl}`);
    if (body) log(`   ${body}`);
    try {
      const response = await inner(input, init);
      const text = isText(response) ? redactor.body(await response.clone().text()) : "";
      log(`<- ${response.status} ${text}`.trimEnd());
      return response;
    } catch (error) {
      log(`<- no response: ${error instanceof Error ? error.name : "error"}`);
      throw error;
    }
  };
}

function isText({ headers }: Response): boolean {
  return /json|text|xml/.test(headers.get("content-type") ?? "");
}
