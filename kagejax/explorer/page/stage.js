// The pictures and what is told about them: both sides' frames, the difference, and troubles.

import { byId, element, written } from "./dom.js";
import { knows, point } from "./settings.js";
import { SIDES, state } from "./state.js";

const figure = (side) => document.querySelector(`figure[data-side="${side}"]`);
const HIDDEN_METRICS = new Set(["return"]);

export async function frame(side, told) {
  const picture = new Image();
  picture.src = told.image;
  await picture.decode();
  const canvas = figure(side).querySelector("canvas");
  if (canvas.width !== told.width || canvas.height !== told.height) {
    [canvas.width, canvas.height] = [told.width, told.height];
    const tallest = Math.max(...SIDES.map((each) => figure(each).querySelector("canvas")).map((each) => each.height / each.width));
    for (const each of document.querySelectorAll(".picture")) each.style.setProperty("--shape", String(1 / tallest));
  }
  canvas.getContext("2d").drawImage(picture, 0, 0);
  canvas.setAttribute("aria-label", `${side === "train" ? "Train" : "Eval"} frame at step ${told.step}`);
  canvas.dataset.step = told.step;
  facts(side, told);
}

function facts(side, { step, ended, reward, total, metrics }) {
  const shown = Object.entries(metrics).filter(([name]) => !HIDDEN_METRICS.has(name));
  const parts = [["reward", reward], ["return", total], ...shown.slice(0, 5)].map(([name, value]) => [`${name.replaceAll("_", " ")} `, element("b", {}, written(typeof value === "number" ? Number(value.toFixed(2)) : value)), " · "]);
  const end = ended ? element("b", {}, `ended at step ${step}`) : "";
  figure(side).querySelector(".facts").replaceChildren(...(ended ? [end, " · "] : []), ...parts.flat().slice(0, -1));
}

export function names() {
  for (const side of SIDES) figure(side).querySelector(".base").textContent = state.sides[side].base;
}

export function over(side, message) {
  const node = figure(side).querySelector(".over");
  node.hidden = !message;
  node.textContent = message;
  figure(side).classList.toggle("dim", Boolean(message));
}

export function busy(sides) {
  for (const side of SIDES) figure(side).classList.toggle("busy", sides.includes(side));
}

export function status(text) {
  const node = byId("status");
  if (node.textContent !== text) node.textContent = text;
}

export function troubles(problems) {
  const node = byId("trouble");
  node.hidden = problems.length === 0;
  node.replaceChildren(
    ...problems.flatMap(({ side, path, message }, place) => {
      const line = [side ? `${side}: ` : "", path && knows(path) ? element("a", { href: "#", onclick: (event) => (event.preventDefault(), point(path)) }, path) : path, path ? ": " : "", message.split("\n")[0]];
      return place ? ["\n", ...line] : line;
    }),
  );
}

// Long keys may break after a dot or an underscore.
const breakable = (path) => path.split(/(?<=[._])/).flatMap((part) => [part, element("wbr")]);

const VERDICTS = {
  none: "The two sides are the same.",
  render: "Render only: the pictures differ, the game is the same.",
  control: "The game differs; what is drawn of it does not.",
  both: "Both the game and the picture differ.",
  metric: "Only metrics differ.",
};

export function difference({ rows, reach }) {
  const verdict = byId("verdict");
  verdict.className = `verdict ${reach}`;
  verdict.textContent = reach === "none" && rows.length ? "No differing key is in use: the two are the same in effect." : VERDICTS[reach];
  byId("difference").hidden = rows.length === 0;
  byId("difference").tBodies[0].replaceChildren(
    ...rows.map((row) =>
      element(
        "tr",
        { class: row.affects === "unused" ? "unused" : "" },
        element("td", {}, element("a", { href: "#", onclick: (event) => (event.preventDefault(), point(row.path)) }, ...breakable(row.path))),
        element("td", { class: "value" }, row.train),
        element("td", { class: "value" }, row.eval),
        element("td", {}, { render: "picture", control: "game", both: "game + picture" }[row.affects] ?? row.affects),
      ),
    ),
  );
  byId("prove").disabled = reach === "none";
  byId("same").disabled = byId("swap").disabled = rows.length === 0;
}

export function proof(text, kind = "") {
  const node = byId("proof");
  node.className = kind;
  node.textContent = text;
}
