// The tables sort by a click on a head or by its key, and marks show their values under the
// pointer. Without this script the page is complete: the values are titles then.
"use strict";

// value returns what a cell is sorted by: a number if it begins with one, else its text. A missing
// value is null.
function value(cell) {
  if (!cell) return null;
  if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
  const text = cell.textContent.trim();
  if (text === "" || text === "-" || text === "n/a") return null;
  const units = { k: 1e3, M: 1e6, G: 1e9, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, ns: 1e-9 };
  const duration = /^(?:\d[\d.]*(?:h|m|s|ms|µs|ns))+$/.test(text) && text.match(/\d[\d.]*(?:ms|µs|ns|h|m|s)/g);
  if (duration) return duration.reduce((sum, part) => sum + parseFloat(part) * units[part.replace(/[\d.]+/, "")], 0);
  const number = text.match(/^[>~]?(-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?)\s*(KiB|MiB|GiB|TiB|µs|us|ms|ns|[kMGBs](?![a-z]))?/);
  if (!number || /^\d[^\s]*\//.test(text)) return text;
  return parseFloat(number[1].replaceAll(",", "")) * (units[number[2]] ?? 1);
}

const words = new Intl.Collator("en", { numeric: true });

// compare orders two values; a missing one is last, whatever the direction.
function compare(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  return direction * words.compare(String(a), String(b));
}

// sort sorts the rows by a column, and in the other direction the second time. The third time the
// rows have their first order again.
function sort(table, column) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const next = { none: "ascending", ascending: "descending", descending: "none" }[heads[column].getAttribute("aria-sort") ?? "none"];
  for (const head of heads) head.removeAttribute("aria-sort");
  const rows = [...body.rows];
  rows.forEach((row, i) => row.dataset.at ??= i);
  if (next === "none") {
    rows.sort((a, b) => a.dataset.at - b.dataset.at);
  } else {
    heads[column].setAttribute("aria-sort", next);
    const direction = next === "ascending" ? 1 : -1;
    rows.sort((a, b) => compare(value(a.cells[column]), value(b.cells[column]), direction) || a.dataset.at - b.dataset.at);
  }
  body.append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, column));
    head.append(button);
  });
}

// The values of marks are titles, which a browser shows late and not for a finger.
for (const title of document.querySelectorAll(".chart title")) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
const tip = document.getElementById("tip");
function show(event) {
  const mark = event.target.closest?.("[data-tip]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const place = tip.getBoundingClientRect(), space = 14;
  const left = Math.min(event.clientX + space, innerWidth - place.width - 4);
  const above = event.clientY + space + place.height > innerHeight;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${above ? Math.max(4, event.clientY - space - place.height) : event.clientY + space}px`;
}
document.addEventListener("pointermove", show);
document.addEventListener("pointerdown", show);
document.addEventListener("scroll", () => { tip.hidden = true; }, { capture: true, passive: true });
