// Who may see the posts of a creator at the moment.
import type { ApiContext } from "../api.ts";
import type { Choice } from "../choice.ts";
import { fetchCreator } from "./creator.ts";

const NAMES: Readonly<Record<string, string>> = {
  PUBLIC_TO_EVERYONE: "Everyone",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  FOLLOWER_OF_CREATOR: "Followers",
  SELF_ONLY: "Only me",
};

export async function listPrivacyLevels(context: ApiContext): Promise<Choice[]> {
  const { privacyLevels } = await fetchCreator(context);
  return privacyLevels.map((id) => ({ id, name: NAMES[id] ?? id }));
}
