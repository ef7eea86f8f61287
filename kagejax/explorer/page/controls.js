// One control for each kind of value. Each gives { node, show(value), focusable }, and calls `change(value)`.

import { element } from "./dom.js";

const COLOURS = new Set(
  ("black white red orange yellow green cyan blue purple pink brown gray lime teal indigo magenta violet navy maroon olive " +
    "coral gold silver").split(" "),
);

export function control(field, id, change) {
  const made = { number, integer: number, switch: toggle, select, names, colour, text, texts, integers }[field.kind](field, id, change);
  return field.nullable && field.kind !== "select" && field.kind !== "text" ? nullable(made, field, change) : made;
}

function parsed(text) {
  // What is no number goes to the server as it is, which says what is allowed.
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function number(field, id, change) {
  const { first, last, step } = field.slider;
  const slider = element("input", { type: "range", min: first, max: last, step, "aria-label": field.path });
  const box = element("input", { type: "number", id, step: field.kind === "integer" ? 1 : "any" });
  slider.addEventListener("input", () => {
    box.value = slider.value;
    change(Number(slider.value));
  });
  box.addEventListener("input", () => {
    if (box.validity.badInput || box.value === "") return;
    stretch(Number(box.value));
    change(parsed(box.value));
  });
  box.addEventListener("change", () => box.value === "" && change(""));
  function stretch(value) {
    // The range of an open slider is a guess: it follows what is written into the box.
    slider.min = Math.min(first, value);
    slider.max = Math.max(last, value);
    slider.value = value;
  }
  function show(value) {
    if (document.activeElement !== box || Number(box.value) !== value) box.value = value ?? "";
    if (typeof value === "number") stretch(value);
  }
  return { nodes: [slider, box], show, inputs: [slider, box] };
}

function toggle(field, id, change) {
  const box = element("input", { type: "checkbox", role: "switch", class: "toggle", id });
  box.addEventListener("change", () => change(box.checked));
  return { nodes: [box], show: (value) => (box.checked = value === true), inputs: [box] };
}

function select(field, id, change) {
  const choices = field.choices.map((name) => element("option", { value: name }, name));
  const box = element("select", { id }, field.nullable ? element("option", { value: "" }, "none") : null, ...choices);
  box.addEventListener("change", () => change(field.nullable && box.value === "" ? null : box.value));
  return { nodes: [box], show: (value) => (box.value = value ?? ""), inputs: [box] };
}

function names(field, id, change) {
  let chosen = [];
  const boxes = field.choices.map((name) => {
    const box = element("input", { type: "checkbox", value: name });
    box.addEventListener("change", () => {
      // In the order of choice: of several, some settings take the last.
      change(box.checked ? [...chosen, name] : chosen.filter((other) => other !== name));
    });
    const dot = COLOURS.has(name) ? element("i") : null;
    if (dot) dot.style.background = name;
    return [box, element("label", {}, box, element("span", {}, dot, name))];
  });
  const node = element("div", { class: "chips", role: "group", id, "aria-label": field.path }, ...boxes.map(([, label]) => label));
  function show(value) {
    chosen = Array.isArray(value) ? value : [];
    for (const [box] of boxes) box.checked = chosen.includes(box.value);
  }
  return { nodes: [node], show, inputs: boxes.map(([box]) => box) };
}

function colour(field, id, change) {
  const wheel = element("input", { type: "color", "aria-label": `${field.path}, colour` });
  const box = element("input", { type: "text", id, spellcheck: "false", placeholder: "red, green, blue" });
  wheel.addEventListener("input", () => {
    const value = [1, 3, 5].map((at) => parseInt(wheel.value.slice(at, at + 2), 16));
    box.value = value.join(", ");
    change(value);
  });
  box.addEventListener("change", () => change(box.value.split(",").map(parsed)));
  function show(value) {
    if (document.activeElement !== box) box.value = (value ?? []).join(", ");
    const whole = (value ?? []).length === 3 && value.every((part) => part >= 0 && part <= 255);
    if (whole) wheel.value = "#" + value.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
  }
  return { nodes: [wheel, box], show, inputs: [wheel, box] };
}

function text(field, id, change) {
  const box = element("input", { type: "text", id, spellcheck: "false", placeholder: field.nullable ? "none" : "" });
  box.addEventListener("change", () => change(field.nullable && box.value === "" ? null : box.value.replaceAll("\\n", "\n")));
  const show = (value) => {
    if (document.activeElement !== box) box.value = (value ?? "").replaceAll("\n", "\\n");
  };
  return { nodes: [box], show, inputs: [box] };
}

function texts(field, id, change) {
  const box = element("textarea", { id, rows: 2, spellcheck: "false", placeholder: "one a line" });
  box.addEventListener("change", () => change(box.value.split("\n").map((line) => line.trim()).filter(Boolean)));
  const show = (value) => {
    if (document.activeElement !== box) box.value = (value ?? []).join("\n");
  };
  return { nodes: [box], show, inputs: [box] };
}

function integers(field, id, change) {
  const box = element("input", { type: "text", id, spellcheck: "false", placeholder: "such as 1, 2, 3" });
  box.addEventListener("change", () => change(box.value.split(/[\s,]+/).filter(Boolean).map(parsed)));
  const show = (value) => {
    if (document.activeElement !== box) box.value = (value ?? []).join(", ");
  };
  return { nodes: [box], show, inputs: [box] };
}

function nullable(made, field, change) {
  // Null is a choice of its own: a box that puts the control out.
  const box = element("input", { type: "checkbox" });
  const start = { number: field.slider?.first, integer: field.slider?.first, integers: [], texts: [] }[field.kind];
  let last = field.default ?? start;
  box.addEventListener("change", () => change(box.checked ? null : last));
  function show(value) {
    if (value !== null) last = value;
    box.checked = value === null;
    for (const input of made.inputs) input.disabled = value === null;
    made.show(value ?? last);
  }
  return { nodes: [...made.nodes, element("label", { class: "switch" }, box, "null")], show, inputs: [...made.inputs, box] };
}
