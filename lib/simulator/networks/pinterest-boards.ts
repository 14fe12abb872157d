// Boards and their sections of the simulated Pinterest, in pages.
import type { PathParams } from "./endpoints.ts";
import type { NetworkAccount, NetworkRequest, NetworkResponse } from "./network.ts";
import { codeError, errorResponse } from "./pinterest-errors.ts";

/** The board of accounts without the fact `boards`. */
export const DEFAULT_BOARD_ID = "549755885175";

interface Named {
  id: string;
  name: string;
}

/** An account may have other sections by the fact `sections`. */
export const DEFAULT_SECTIONS: readonly Named[] = [
  { id: "5497558851751", name: "Summer" },
  { id: "5497558851752", name: "Winter" },
];

/** The fact `boards` lists ids. */
function listBoards({ facts }: NetworkAccount): Named[] {
  const ids = (facts?.boards as string[] | undefined) ?? [DEFAULT_BOARD_ID];
  return ids.map((id, at) => ({ id, name: at === 0 ? "Light and rooms" : `Board ${at + 1}` }));
}

function listSections({ facts }: NetworkAccount, board: string): readonly Named[] {
  const own = facts?.sections as Readonly<Record<string, Named[]>> | undefined;
  return own ? (own[board] ?? []) : board === DEFAULT_BOARD_ID ? DEFAULT_SECTIONS : [];
}

export function findBoardError(account: NetworkAccount, board: string): NetworkResponse | null {
  if (listBoards(account).some(({ id }) => id === board)) return null;
  const isForeign = ((account.facts?.foreignBoards as string[] | undefined) ?? []).includes(board);
  return isForeign ? codeError("29") : codeError("40");
}

/** A pin in no section needs none. */
export function findSectionError(account: NetworkAccount, board: string, section: string): NetworkResponse | null {
  const isKnown = section === "" || listSections(account, board).some(({ id }) => id === section);
  return isKnown ? null : errorResponse(404, 2031, "Board section not found.");
}

export function readBoard(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
  const name = listBoards(account).find((board) => board.id === id)?.name;
  return findBoardError(account, id) ?? { status: 200, body: { id, name, privacy: "PUBLIC" } };
}

export function sendBoards(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
  return sendPage(
    listBoards(account).map((board) => ({ ...board, privacy: "PUBLIC" })),
    request,
  );
}

export function sendSections(
  account: NetworkAccount,
  request: NetworkRequest,
  { id = "" }: PathParams,
): NetworkResponse {
  return findBoardError(account, id) ?? sendPage(listSections(account, id), request);
}

/** A bookmark leads to the next page; the last has none. */
export function sendPage(rows: readonly unknown[], { query }: NetworkRequest): NetworkResponse {
  const size = Number(query.get("page_size") ?? 25);
  if (!(size >= 1 && size <= 250)) return errorResponse(400, 1, "page_size must be between 1 and 250");
  const from = Number(query.get("bookmark") ?? 0);
  const bookmark = from + size < rows.length ? String(from + size) : null;
  return { status: 200, body: { items: rows.slice(from, from + size), bookmark } };
}
