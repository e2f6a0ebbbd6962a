// Curves of simulations. The table below each shows the same numbers.
"use strict";

const COLOURS = ["#0b7a99", "#c4571b", "#5a7d1e", "#8a4fb0", "#b08a00", "#c03a6b", "#3a6bc0", "#6b5a4a"];

async function draw(place) {
  place.dataset.drawn = "yes";
  const answer = await fetch(place.dataset.chart);
  if (!answer.ok) return;
  const run = await answer.json();
  const measure = place.dataset.measure;
  const budgets = [...new Set(run.cells.map((cell) => cell.budget))].sort((a, b) => a - b);
  const names = [...new Set(run.cells.map((cell) => cell.strategy))];
  const value = (name, budget, key) => run.cells.find((cell) => cell.strategy === name && cell.budget === budget)?.[key] ?? null;
  const lines = names.map((name) => budgets.map((budget) => value(name, budget, measure)));
  const bound = budgets.map((budget) => value(names[0], budget, "bound_clairvoyant"));
  const titles = Object.fromEntries(run.rivals.map((one) => [one.name, one.title]));
  const told = (amount) => (place.dataset.unit ? `${amount} ${place.dataset.unit}` : `${Math.round(amount)}`);
  const style = getComputedStyle(document.body);
  const ink = style.getPropertyValue("--ink");
  const line = style.getPropertyValue("--line");
  const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } };
  const series = [
    { label: place.dataset.budget, value: (_, shown) => (shown === null ? "" : told(shown)) },
    ...names.map((name, number) => ({
      label: titles[name] ?? name, stroke: COLOURS[number % COLOURS.length], width: 2, points: { size: 7 }, dash: number >= COLOURS.length ? [6, 4] : undefined,
      value: (_, shown) => (shown === null ? "–" : shown.toFixed(3)),
    })),
  ];
  const data = [budgets, ...lines];
  if (bound.some((one) => one !== null)) {
    series.push({ label: place.dataset.best, stroke: ink, width: 1, dash: [2, 4], points: { show: false }, value: (_, shown) => (shown === null ? "–" : shown.toFixed(3)) });
    data.push(bound);
  }
  const chart = new uPlot({
    width: place.clientWidth, height: 300,
    scales: { x: { time: false }, y: { range: [0, 1] } },
    axes: [{ ...axis, values: (_, ticks) => ticks.map(told) }, axis],
    series,
  }, data, place);
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: 300 })).observe(place);
}

function drawAll() {
  for (const place of document.querySelectorAll("[data-chart]:not([data-drawn])")) draw(place);
}

drawAll();
new MutationObserver(drawAll).observe(document.getElementById("main"), { childList: true, subtree: true });
