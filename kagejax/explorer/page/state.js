// What the page shows: two sides, an episode, and a moment of it. All of it stands in the address, so that a page can be
// reloaded, sent to a colleague and opened in any number of tabs.

export const SIDES = ["train", "eval"];
export const state = {
  env: "", seed: 0, steps: 0, policy: "", asAgent: false, editing: "eval",
  sides: { train: blank(), eval: blank() },
};
export let description = null; // groups of fields of the environment
export const fields = new Map(); // by path

function blank() {
  // values: as the server confirmed them; touched: what a person has changed since
  return { base: "", values: {}, touched: {}, inert: new Set(), problems: [] };
}

export function shown(side) {
  return { ...state.sides[side].values, ...state.sides[side].touched };
}

export function valueOf(side, path) {
  const { values, touched } = state.sides[side];
  return path in touched ? touched[path] : values[path];
}

export function same(first, second) {
  return JSON.stringify(first) === JSON.stringify(second);
}

export function changedPaths(side) {
  return [...fields.keys()].filter((path) => !same(valueOf(side, path), description.defaults[path]));
}

export function edited() {
  return state.editing === "both" ? SIDES : [state.editing];
}

export function describe(found) {
  description = found;
  fields.clear();
  for (const group of found.groups) for (const field of group.fields) fields.set(field.path, field);
}

export function put(side, base, values) {
  state.sides[side] = { ...blank(), base, values: { ...description.defaults, ...values } };
}

// #env=kage&seed=3&steps=40&train=kage&eval=kage&eval.filters.hue_shift=90: settings that are not the default, in JSON.
export function toAddress() {
  const parts = [["env", state.env], ["seed", state.seed], ["steps", state.steps], ["policy", state.policy], ["editing", state.editing]];
  if (state.asAgent) parts.push(["agent", 1]);
  for (const side of SIDES) {
    parts.push([side, state.sides[side].base]);
    for (const path of changedPaths(side)) parts.push([`${side}.${path}`, JSON.stringify(valueOf(side, path))]);
  }
  return "#" + parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",")}`).join("&");
}

const whole = (text, most) => (/^\d+$/.test(text ?? "") && Number(text) <= most ? Number(text) : 0);

export function fromAddress(hash) {
  const given = new URLSearchParams(hash.slice(1).replaceAll("+", "%2B"));
  if (!given.get("env")) return null;
  const kept = {
    env: given.get("env"), seed: whole(given.get("seed"), 4294967295), steps: whole(given.get("steps"), 1000),
    policy: given.get("policy") ?? "", agent: given.has("agent"),
    editing: ["train", "eval", "both"].includes(given.get("editing")) ? given.get("editing") : "eval",
    train: { base: given.get("train") ?? given.get("env"), set: {} }, eval: { base: given.get("eval") ?? given.get("env"), set: {} },
  };
  for (const [name, text] of given) {
    const [, side, path] = /^(train|eval)\.(.+)$/.exec(name) ?? [];
    if (!side) continue;
    try {
      kept[side].set[path] = JSON.parse(text);
    } catch {
      kept[side].set[path] = text; // written by hand
    }
  }
  return kept;
}

export function request() {
  const sides = SIDES.map((side) => [side, { values: state.sides[side].values, touched: state.sides[side].touched }]);
  return {
    env: state.env, seed: state.seed, steps: state.steps, policy: state.policy, as_agent: state.asAgent,
    ...Object.fromEntries(sides.map(([side, given]) => [side, structuredClone(given)])),
  };
}
