// The settings: groups of fields built from the schema, each with its control, its problem and the other side's value.

import { control } from "./controls.js";
import { byId, element, written } from "./dom.js";
import { changedPaths, description, edited, fields, same, SIDES, state, valueOf } from "./state.js";

const REACH = { control: "game", both: "game + picture", metric: "metric" };
const rows = new Map(); // by path
let change = () => {};

export function build(onChange) {
  change = onChange;
  rows.clear();
  byId("groups").replaceChildren(...description.groups.map(group));
  byId("sections").replaceChildren(
    ...description.groups.map(({ name }) => element("a", { href: `#group-${name}`, "data-group": name, onclick: (event) => jump(event, name) }, name)),
  );
  refresh();
}

function group({ name, about, fields: own }, place) {
  const folded = sessionStorage.getItem(`folded ${state.env} ${name}`);
  const node = element(
    "details",
    { class: "group card", id: `group-${name}`, open: folded === null ? place < 6 : folded === "no" },
    element("summary", {}, element("b", {}, name), element("span", { class: "about" }, about), element("span", { class: "count" })),
    element("div", { class: "fields" }, ...own.map(row)),
  );
  // Only what a person folds is remembered, not what a search opens.
  node.querySelector("summary").addEventListener("click", () => sessionStorage.setItem(`folded ${state.env} ${name}`, node.open ? "yes" : "no"));
  return node;
}

function row(field) {
  const id = `field-${field.path.replaceAll(".", "-")}`;
  const made = control(field, id, (value) => change(field.path, value));
  const problem = element("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const about = element("p", { class: "about", id: `${id}-about` }, [field.about, field.range && `${capital(field.range)}.`].filter(Boolean).join(" "));
  const reset = element(
    "button",
    { type: "button", class: "reset", title: `Reset to ${written(field.default)}`, "aria-label": `Reset ${field.path} to ${written(field.default)}`, onclick: () => change(field.path, structuredClone(field.default)) },
    "↺",
  );
  const label = field.kind === "names" ? element("span", { class: "label" }, field.label) : element("label", { for: id }, field.label);
  const badges = [field.unit && element("span", { class: "badge" }, field.unit), REACH[field.affects] && element("span", { class: "badge game", title: "A pair that differs here differs in more than the picture." }, REACH[field.affects])];
  const other = element("p", { class: "other", hidden: true });
  const node = element(
    "div",
    { class: "field", "data-path": field.path, id: `row-${field.path}` },
    element("div", { class: "head" }, element("div", { class: "name" }, label, ...badges.filter(Boolean)), about),
    element("div", { class: "control" }, ...made.nodes),
    reset,
    other,
    problem,
  );
  for (const input of made.inputs) input.setAttribute("aria-describedby", `${id}-about ${id}-problem`);
  rows.set(field.path, { node, made, problem, other, words: `${field.path} ${field.about} ${(field.choices ?? []).join(" ")}`.toLowerCase() });
  return node;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function refresh() {
  const sides = edited();
  const side = sides.at(-1);
  const [words, onlyChanged] = [byId("search").value.trim().toLowerCase().split(/\s+/), byId("only-changed").checked];
  const searching = words[0] !== "" || onlyChanged;
  const changed = new Set(sides.flatMap(changedPaths));
  const problems = new Map(sides.flatMap((each) => state.sides[each].problems).map(({ path, message }) => [path, message]));
  let found = 0;
  for (const [path, { node, made, problem, other, words: own }] of rows) {
    const value = valueOf(side, path);
    made.show(value);
    const wrong = problems.has(path);
    const differs = !same(valueOf("train", path), valueOf("eval", path));
    node.classList.toggle("changed", changed.has(path));
    node.classList.toggle("unused", sides.every((each) => state.sides[each].inert.has(path)) && !wrong);
    node.classList.toggle("wrong", wrong);
    node.title = node.classList.contains("unused") ? "Not in use: another setting has it switched off." : "";
    for (const input of made.inputs) input.toggleAttribute("aria-invalid", wrong);
    problem.hidden = !wrong;
    problem.textContent = problems.get(path) ?? "";
    other.hidden = !differs;
    if (differs) showOther(other, path, side);
    node.hidden = !words.every((word) => own.includes(word)) || (onlyChanged && !changed.has(path) && !wrong && !differs);
    found += !node.hidden;
  }
  for (const { name, fields: own } of description.groups) refreshGroup(name, own, changed, problems, searching);
  byId("nothing").hidden = found > 0;
}

function refreshGroup(name, own, changed, problems, searching) {
  const node = byId(`group-${name}`);
  const paths = own.map(({ path }) => path);
  const count = paths.filter((path) => changed.has(path)).length;
  const wrong = paths.some((path) => problems.has(path));
  const visible = paths.some((path) => !rows.get(path).node.hidden);
  node.hidden = !visible;
  if (wrong || (searching && visible)) node.open = true;
  node.querySelector(".count").textContent = count ? `${count} changed` : "";
  const link = byId("sections").querySelector(`[data-group="${name}"]`);
  link.classList.toggle("changed", count > 0);
  link.classList.toggle("wrong", wrong);
  link.dataset.count = count;
}

function showOther(node, path, side) {
  const away = SIDES.find((each) => each !== side);
  const value = valueOf(away, path);
  const take = element("button", { type: "button", class: "take", onclick: () => change(path, structuredClone(value)) }, "take it");
  node.replaceChildren(`${away}: `, element("code", {}, written(value)), state.editing === "both" ? "" : take);
}

function jump(event, name) {
  event.preventDefault();
  const node = byId(`group-${name}`);
  node.open = true;
  node.scrollIntoView({ block: "start" });
  node.querySelector("summary").focus({ preventScroll: true });
}

export function point(path) {
  byId("search").value = "";
  byId("only-changed").checked = false;
  refresh();
  const found = rows.get(path);
  if (!found) return;
  found.node.closest("details").open = true;
  found.node.scrollIntoView({ block: "center" });
  found.made.inputs[0].focus({ preventScroll: true });
  found.node.classList.add("pointed");
  setTimeout(() => found.node.classList.remove("pointed"), 1200);
}

export const knows = (path) => fields.has(path);
