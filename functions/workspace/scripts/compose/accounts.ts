// The chosen accounts of the composer.

const isOwnTikTok = (box: HTMLInputElement) => box.dataset.platform === "tiktok" && box.dataset.type === "byo";

export function createAccounts(form: HTMLFormElement) {
  const listAll = () => [...form.querySelectorAll<HTMLInputElement>("input[name=account]")];
  const listChosen = () => listAll().filter((box) => box.checked);
  const listOwnTikTok = () => listChosen().filter(isOwnTikTok);
  const listOthers = () => listChosen().filter((box) => !isOwnTikTok(box));
  /** Networks whose settings a post to the chosen accounts has. */
  const listPlatforms = () =>
    new Set(
      listChosen().flatMap((box) => {
        if (box.dataset.platform === "tiktok" && !isOwnTikTok(box)) return [];
        return box.dataset.platform ?? [];
      }),
    );
  const toIds = (boxes: HTMLInputElement[]) => boxes.map(({ value }) => value);
  return {
    ...{ listChosen, listOwnTikTok, listOthers, listPlatforms },
    /** The sentence about a chosen account that cannot publish now; empty without one. */
    findInactive(): string {
      const { name, username, inactive } = listChosen().find(({ dataset }) => dataset.inactive)?.dataset ?? {};
      return inactive
        ? `${name} ${username} is ${inactive}. Resume or connect it, or take it off the post. The draft keeps it until then.`
        : "";
    },
    /** The ids of the chosen ones. */
    read: () => ({ tiktok: toIds(listOwnTikTok()), others: toIds(listOthers()), platforms: listPlatforms() }),
    describe(id: string): string {
      const box = listAll().find(({ value }) => value === id);
      return box ? `${box.dataset.name} ${box.dataset.username}` : "an account that is no longer connected";
    },
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
