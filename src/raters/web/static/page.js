// What the page adds where scripts run: it works without, by links and forms.
"use strict";
document.documentElement.classList.add("scripted");
document.addEventListener("change", function (event) {
  const form = event.target.closest("form");
  if (form && event.target.hasAttribute("data-now")) form.requestSubmit();
});
document.addEventListener("input", function (event) {
  const shown = event.target.type === "range" && event.target.labels[0].querySelector("output");
  if (shown) shown.textContent = event.target.step.includes(".") ? Number(event.target.value).toFixed(2) : event.target.value;
});
document.addEventListener("keydown", function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !document.getElementById("decide")) return;
  const typing = event.target.matches("input:not([type=hidden]), textarea, select");
  if (typing) { if (event.key === "Escape" || event.key === "Enter" && event.target.id === "note") event.target.blur(); return; }
  if (event.key === "n" || event.key === "N") { event.preventDefault(); document.getElementById("note").focus(); return; }
  const wanted = document.querySelector('[data-key="' + CSS.escape(event.key.toLowerCase()) + '"]');
  if (wanted && !event.repeat) { event.preventDefault(); wanted.click(); }
});
document.addEventListener("click", function (event) {
  const from = event.target.closest("[data-copy]");
  if (!from) return;
  const text = document.getElementById(from.dataset.copy);
  text.select();
  navigator.clipboard.writeText(text.value).then(
    () => { from.nextElementSibling.textContent = "Copied."; },
    () => { from.nextElementSibling.textContent = "The browser does not allow it. The text is selected: press Ctrl+C."; });
});
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, function (event) {
    const form = document.querySelector("form.drop");
    if (!form) return;
    event.preventDefault();
    form.classList.toggle("over", name === "dragover");
    if (name === "drop" && event.dataTransfer.files.length) {
      form.querySelector("input[type=file]").files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
}
document.addEventListener("htmx:configRequest", function (event) {  // a form asks all that its address shall say
  if (event.detail.verb === "get" && event.target.matches("form")) event.detail.path = event.detail.path.split("?")[0];
});
const named = (e) => e.tagName + (e.id || e.getAttribute("aria-label") || e.innerText);
let focused = "";  // what has the focus keeps it when the page around it is replaced
document.addEventListener("htmx:afterSwap", function () {
  if (focused && document.activeElement === document.body) {
    const same = [...document.querySelectorAll("#page a, #page button, #page select, #page input:not(#note)")].find((e) => named(e) === focused);
    (same || document.getElementById("main")).focus({ preventScroll: true });
  }
  const page = document.getElementById("page");
  document.title = page.dataset.title === "raters" ? "raters" : page.dataset.title + " · raters";
});
document.addEventListener("htmx:beforeSwap", function (event) {
  focused = document.activeElement === document.body ? "" : named(document.activeElement);
  if (event.detail.xhr.status >= 400 && event.detail.xhr.response.includes('id="page"')) { event.detail.shouldSwap = true; event.detail.isError = false; }
});
document.addEventListener("htmx:sendError", function () {
  const said = document.querySelector(".gone") || document.createElement("p");
  said.className = "doubt gone";
  said.setAttribute("role", "alert");
  said.textContent = "raters serve does not answer, so this was not done. What was saved before is safe: start it again, and open the address that it shows.";
  document.getElementById("main").prepend(said);
});
