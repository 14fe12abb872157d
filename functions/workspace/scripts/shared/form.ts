// Pieces of the pages for signing in.

export function showProblem(text: string): void {
  const problem = document.querySelector<HTMLElement>("#problem");
  if (!problem) return;
  problem.hidden = text === "";
  problem.textContent = text;
}

/** The response, or null if the connection was lost. */
export function postJson(path: string, body: object): Promise<Response | null> {
  const headers = { "Content-Type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => null);
}
