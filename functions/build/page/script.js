// Filters the contents, copies code, shows it in the chosen language, and opens the contents on a small screen. The page
// is complete without it.
const side = document.querySelector("#side");
const menu = document.querySelector("#menu");
const nothing = document.querySelector("#nothing");

// Titles first; where none has the words, the sections that have them, such as the name of a field.
const getTitle = (item) => item.textContent.toLowerCase();
const readSection = (item) =>
  document.getElementById(item.querySelector("a").hash.slice(1))?.textContent.toLowerCase() ?? "";

document.querySelector("#filter").addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  const items = [...side.querySelectorAll("li")];
  const titled = items.filter((item) => getTitle(item).includes(wanted));
  const found = new Set(titled.length > 0 ? titled : items.filter((item) => readSection(item).includes(wanted)));
  for (const item of items) item.hidden = !found.has(item);
  for (const list of side.querySelectorAll("ul")) {
    list.hidden = [...list.children].every((item) => item.hidden);
    list.previousElementSibling.hidden = list.hidden;
  }
  nothing.hidden = found.size > 0;
});

function setMenu(open) {
  side.classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
}
menu.addEventListener("click", () => setMenu(!side.classList.contains("open")));
side.addEventListener("click", ({ target }) => target.closest("a") && setMenu(false));

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.closest("figure").querySelector("code:not([hidden])").textContent);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1500);
});

// Requests can be copied and run: the page knows its own host, which the document does not.
const main = document.querySelector("#main");
const base = new URL(main.dataset.base, location.href).href;
for (const code of main.querySelectorAll("code[data-language]")) {
  code.textContent = code.textContent
    .replace('"$API', `"${base}`)
    .replace(/(process\.env\.API|os\.environ\["API"\]) \+ "/, `"${base}`);
}

const LANGUAGE = "reference-language";
const choices = [];
for (const figure of document.querySelectorAll("figure:has([data-language])")) {
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Language");
  for (const { dataset } of figure.querySelectorAll("code")) choice.add(new Option(dataset.language));
  figure.querySelector("figcaption span").after(choice);
  choices.push(choice);
}

/** In every request of the page: who reads one in Python reads all in Python. */
function showLanguage(language) {
  for (const code of document.querySelectorAll("code[data-language]")) code.hidden = code.dataset.language !== language;
  for (const choice of choices) choice.value = language;
}

function readLanguage() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null; // The browser keeps nothing for this page.
  }
}
const known = [...(choices[0]?.options ?? [])].map(({ value }) => value);
const last = readLanguage();
if (last !== known[0] && known.includes(last)) showLanguage(last);
document.addEventListener("change", ({ target }) => {
  if (!choices.includes(target)) return;
  const before = target.getBoundingClientRect().top;
  showLanguage(target.value);
  scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" });
  try {
    localStorage.setItem(LANGUAGE, target.value);
  } catch {
    // Kept until the page is left.
  }
});

const links = new Map([...side.querySelectorAll("li a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      const current = links.get(target.id);
      current?.setAttribute("aria-current", "true");
      if (current && !side.matches(":hover")) keepInView(current);
    }
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const section of document.querySelectorAll("main section")) seen.observe(section);

/** Scrolls the contents alone, not the page. */
function keepInView(link) {
  const { top, bottom } = link.getBoundingClientRect();
  if (top < 0) side.scrollTop += top - side.clientHeight / 3;
  if (bottom > innerHeight) side.scrollTop += bottom - (side.clientHeight * 2) / 3;
}

const TOKENS = /"(?:[^"\\\n]|\\.)*"(\s*:)?|\b(?:true|false|null|True|False|None|\d+(?:\.\d+)?)\b/g;
/** Only what comes into view: the page has thousands of lines of code. Colours are in style.css. */
function colour(figure) {
  for (const code of figure.querySelectorAll("code")) {
    for (const { 0: token, 1: colon, index } of code.textContent.matchAll(TOKENS)) {
      const range = new StaticRange({
        startContainer: code.firstChild,
        startOffset: index,
        endContainer: code.firstChild,
        endOffset: index + token.length - (colon?.length ?? 0),
      });
      CSS.highlights.get(colon ? "name" : token.startsWith('"') ? "text" : "literal").add(range);
    }
  }
}
if (globalThis.Highlight) {
  for (const kind of ["name", "text", "literal"]) CSS.highlights.set(kind, new Highlight());
  const shown = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        shown.unobserve(target);
        colour(target);
      }
    },
    { rootMargin: "50% 0px" },
  );
  for (const figure of document.querySelectorAll("figure:not(.plain)")) shown.observe(figure);
}
