"use strict";
// A click on a column's head sorts its table; the field above a table leaves matching rows.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const table = head.closest("table");
    const column = [...head.parentNode.children].indexOf(head);
    const down = head.getAttribute("aria-sort") === "descending";
    const numeric = head.classList.contains("n");
    const up = head.getAttribute("aria-sort") ? down : !numeric;
    const value = (row) => {
      const cell = row.children[column];
      const text = cell.dataset.v ?? cell.textContent.trim();
      if (!numeric) return text;
      const number = Number.parseFloat(text);
      return Number.isNaN(number) ? -Infinity : number;
    };
    const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]);
    const order = numeric
      ? (a, b) => (a[0] === b[0] ? 0 : a[0] < b[0] ? -1 : 1)
      : (a, b) => a[0].localeCompare(b[0], undefined, { numeric: true });
    rows.sort((a, b) => (up ? order(a, b) : order(b, a)));
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
  });
}
const field = document.getElementById("filter");
if (field) {
  const rows = [...document.querySelectorAll("#students tbody tr")];
  const count = document.getElementById("shown");
  const named = document.querySelectorAll("#students thead th")[1].textContent === "Name";
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let left = 0;
    for (const row of rows) {
      const text = named ? `${row.cells[0].textContent} ${row.cells[1].textContent}` : row.cells[0].textContent;
      row.hidden = !text.toLowerCase().includes(wanted);
      left += row.hidden ? 0 : 1;
    }
    count.textContent = wanted ? `${left} of ${rows.length} students` : "";
  });
}
