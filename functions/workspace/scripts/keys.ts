// A list of checkboxes is shown only while the radio button "some" of its name is chosen.
for (const list of document.querySelectorAll<HTMLElement>("[data-shown-by]")) {
  const radios = document.querySelectorAll<HTMLInputElement>(`input[name=${list.dataset.shownBy}]`);
  const show = () => {
    list.hidden = ![...radios].some(({ checked, value }) => checked && value === "some");
  };
  for (const radio of radios) radio.addEventListener("change", show);
  show();
}
