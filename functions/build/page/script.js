// Filters the contents, copies code, and opens the contents on a small screen. The page is complete without it.
const side = document.querySelector("#side");
const menu = document.querySelector("#menu");

document.querySelector("#filter").addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  for (const item of side.querySelectorAll("li")) item.hidden = !item.textContent.toLowerCase().includes(wanted);
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
  await navigator.clipboard.writeText(button.closest("figure").querySelector("code").textContent);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1500);
});

const links = new Map([...side.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const section of document.querySelectorAll("main section")) seen.observe(section);
