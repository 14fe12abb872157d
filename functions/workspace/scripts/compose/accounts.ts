// The chosen accounts of the composer.

const isOwnTikTok = (box: HTMLInputElement) => box.dataset.platform === "tiktok" && box.dataset.type === "byo";

export function createAccounts(form: HTMLFormElement) {
  const listAll = () => [...form.querySelectorAll<HTMLInputElement>("input[name=account]")];
  const listChosen = () => listAll().filter((box) => box.checked);
  return {
    listChosen,
    listOwnTikTok: () => listChosen().filter(isOwnTikTok),
    listOthers: () => listChosen().filter((box) => !isOwnTikTok(box)),
    /** Networks whose settings a post to the chosen accounts has. */
    listPlatforms: () =>
      new Set(
        listChosen().flatMap((box) => {
          if (box.dataset.platform === "tiktok" && !isOwnTikTok(box)) return [];
          return box.dataset.platform ?? [];
        }),
      ),
    describe(id: string): string {
      const box = listAll().find(({ value }) => value === id);
      return box ? `${box.dataset.name} ${box.dataset.username}` : "an account that is no longer connected";
    },
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
