// Keys for lists and review, and printing. Every page works without it.
"use strict";
(() => {
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;
  const rows = () => [...document.querySelectorAll("[data-row]")];
  let at = -1;

  const choose = (step) => {
    const all = rows();
    if (!all.length) return false;
    at = Math.min(Math.max(at + step, 0), all.length - 1);
    all.forEach((row, number) => row.classList.toggle("chosen", number === at));
    const link = all[at].querySelector("a");
    link.focus({ preventScroll: true });
    all[at].scrollIntoView({ block: "nearest" });
    return true;
  };

  const press = (id) => {
    const found = document.getElementById(id);
    if (!found) return false;
    found.click();
    return true;
  };

  const reject = () => {
    const why = document.getElementById("why");
    if (!why) return false;
    if (!why.value.trim()) {
      why.focus();
      return true;
    }
    return press("reject");
  };

  const edit = () => {
    const box = document.getElementById("edit");
    if (!box) return false;
    box.open = true;
    box.querySelector("input[name=title]").focus();
    return true;
  };

  const find = () => {
    const field = document.querySelector("input[type=search]");
    if (!field) return false;
    field.focus();
    field.select();
    return true;
  };

  const keys = {
    "/": find,
    j: () => choose(1) || press("following"),
    k: () => choose(-1) || (document.getElementById("decision") && (history.back(), true)),
    a: () => press("accept"),
    r: reject,
    e: edit,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing(event.target)) {
      event.preventDefault(); // a search field would be emptied
      event.target.blur();
      return;
    }
    if (typing(event.target)) return;
    const act = keys[event.key];
    if (act && act()) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-print]")) window.print();
  });

  document.addEventListener("htmx:afterSwap", () => {
    at = -1;
  });
})();
