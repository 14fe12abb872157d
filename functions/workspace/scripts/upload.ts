// Uploads a file in parts, straight to storage: progress, retries of single parts, and waiting for the connection.
// The parts that are done are remembered in this tab by name and size, so choosing the file again goes on from there.
interface UploadedFile {
  id: string;
  url: string;
}
interface UploadReport {
  file: UploadedFile;
  fit: Record<string, { ok: boolean; problems?: { message: string }[] }> | null;
}
interface StartedUpload {
  id: string;
  partSize: number;
  partCount: number;
  parts: { partNumber: number; url: string; size: number }[];
}
interface Progress {
  upload: StartedUpload;
  etags: Record<number, string>;
}

const PARALLEL_PARTS = 3;
const MAX_ATTEMPTS = 8;
const MAX_WAIT_MS = 15_000;

export async function callApi<Data>(
  api: string,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Data> {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...(key ? { "Idempotency-Key": key } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.headers.get("content-type")?.includes("json")) throw new Error(describePage(response));
  const answer = await response.json();
  if (!answer.ok) throw Object.assign(new Error(answer.message), { answer });
  return answer.data as Data;
}

/** A page in place of an answer, such as the one for people who are signed out. */
function describePage({ status }: Response): string {
  if (status === 401 || status === 403) return "You are signed out. Sign in in another window, then try again here.";
  return `The service answered ${status}. Try again in a moment.`;
}

/** PUTs one part and returns its ETag; `fetch` cannot report the progress of an upload. */
function putPart(url: string, part: Blob, report: (sent: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.upload.onprogress = ({ loaded }) => report(loaded);
    request.onload = () => {
      const etag = request.getResponseHeader("etag");
      if (request.status === 200 && etag) resolve(etag);
      else reject(new Error(`The storage answered ${request.status}.`));
    };
    request.onerror = () => reject(new Error("The connection was lost."));
    request.send(part);
  });
}

function waitForConnection(ms: number): Promise<void> {
  const delay = new Promise<void>((resolve) => setTimeout(resolve, ms));
  if (navigator.onLine) return delay;
  return new Promise((resolve) => addEventListener("online", () => resolve(), { once: true }));
}

export async function uploadFile(
  api: string,
  file: File,
  report: (fraction: number, note: string) => void,
): Promise<UploadReport> {
  const memory = `upload ${api} ${file.name} ${file.size} ${file.lastModified}`;
  const known = sessionStorage.getItem(memory);
  const progress: Progress = known
    ? JSON.parse(known)
    : {
        upload: await callApi<StartedUpload>(api, "POST", "/files/multipart", {
          contentType: file.type,
          filename: file.name.slice(-255),
          size: file.size,
        }),
        etags: {},
      };
  const { upload, etags } = progress;
  const sent = new Map<number, number>();
  const show = (note = "") => {
    const done = [...sent.values()].reduce((total, bytes) => total + bytes, 0);
    report(Math.min(1, done / file.size), note);
  };
  const sizeOf = (at: number) => Math.min(upload.partSize, file.size - at * upload.partSize);
  const waiting = Array.from({ length: upload.partCount }, (_, at) => at);
  for (const at of waiting) if (etags[at + 1]) sent.set(at, sizeOf(at));

  const sendPart = async (at: number) => {
    const number = at + 1;
    if (etags[number]) return;
    const part = file.slice(at * upload.partSize, at * upload.partSize + sizeOf(at));
    for (let attempt = 1; ; attempt++) {
      try {
        const url =
          upload.parts.find(({ partNumber }) => partNumber === number)?.url ??
          (await callApi<StartedUpload>(api, "POST", `/files/multipart/${upload.id}/parts`, { partNumbers: [number] }))
            .parts[0]?.url ??
          "";
        etags[number] = await putPart(url, part, (bytes) => {
          sent.set(at, bytes);
          show();
        });
        sent.set(at, sizeOf(at));
        sessionStorage.setItem(memory, JSON.stringify(progress));
        return show();
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
        sent.set(at, 0);
        show("Connection lost, trying again");
        await waitForConnection(Math.min(MAX_WAIT_MS, 500 * 2 ** attempt));
      }
    }
  };
  const work = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) await sendPart(at);
  };
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, work));
  report(1, "Checking the file");
  const parts = Object.entries(etags).map(([partNumber, etag]) => ({ partNumber: Number(partNumber), etag }));
  try {
    return await callApi<UploadReport>(
      api,
      "POST",
      `/files/multipart/${upload.id}/complete`,
      { parts },
      `complete-${upload.id}`,
    );
  } finally {
    sessionStorage.removeItem(memory);
  }
}
