// Files that are chosen or dropped.

export function listenForFiles(form: HTMLFormElement, addFiles: (files: Iterable<File>) => Promise<void>): void {
  form.querySelector<HTMLInputElement>("#files")?.addEventListener("change", (event) => {
    const input = event.target as HTMLInputElement;
    void addFiles([...(input.files ?? [])]).then(() => {
      input.value = "";
    });
  });
  const drop = form.querySelector<HTMLElement>("#drop");
  drop?.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop?.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop?.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    void addFiles([...(event.dataTransfer?.files ?? [])]);
  });
}
