// SPDX-License-Identifier: MIT
// Holds every figure of a report to the data at its end: texts to as many digits as they show, bars by their height as
// the browser draws them. The verdict is left on <body>.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const wrong = [];
  const figures = document.querySelectorAll("[data-path]");
  for (const figure of figures) {
    const path = figure.dataset.path;
    const value = path.split("/").slice(1).reduce((at, key) => (at == null ? undefined : at[key]), data);
    const box = figure.getBoundingClientRect();
    let right = value !== undefined && box.right > 0;
    if (figure.dataset.scale) {
      right &&= Math.abs(figure.getBBox().height / Number(figure.dataset.scale) - value) < 1e-4;
    } else {
      const text = figure.textContent;
      const places = (text.split(".")[1] || "").length;
      right &&= value === null ? !/[0-9]/.test(text)
                               : Math.abs(Number(text) - value) <= 0.5000001 * 10 ** -places;
      right &&= box.width > 0 && box.height > 0;
    }
    if (!right) wrong.push(path);
  }
  document.body.setAttribute("data-checked", figures.length);
  document.body.setAttribute("data-wrong", wrong.join(" "));
})();
