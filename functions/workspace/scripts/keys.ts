// The list of permissions is shown only when a key gets some of them.
const list = document.querySelector<HTMLElement>("#permissions");
const showList = () => {
  const access = document.querySelector<HTMLInputElement>("input[name=access]:checked");
  if (list) list.hidden = access?.value !== "some";
};
for (const radio of document.querySelectorAll("input[name=access]")) radio.addEventListener("change", showList);
showList();
