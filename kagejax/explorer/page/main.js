// The page's course: what changes asks the server for pictures, and answers go to the stage and the settings.

import { ask, pieces } from "./api.js";
import { dialogs } from "./dialogs.js";
import { byId, element } from "./dom.js";
import { prove } from "./proof.js";
import * as settings from "./settings.js";
import * as stage from "./stage.js";
import { describe, description, edited, fromAddress, put, request, shown, SIDES, state, toAddress } from "./state.js";

const PAUSE = 40; // ms in which changes are gathered
const PATIENCE = 700; // ms after which a request that has been overtaken is given up; younger ones may still show their picture
const AHEAD = 8; // steps that are fetched before they are shown

let under_way = null; // the request for pictures: { controller, began, dirty }
let timer = 0;
let film = null; // AbortController of an episode that plays
let most = 500;

function change(path, value) {
  for (const side of edited()) state.sides[side].touched[path] = value;
  settings.refresh();
  changed();
}

function changed() {
  stop();
  stage.proof("");
  later();
}

function later() {
  history.replaceState(null, "", toAddress());
  if (under_way) {
    under_way.dirty = true;
    if (!under_way.compiling && performance.now() - under_way.began < PATIENCE) return;
    under_way.controller.abort();
  }
  clearTimeout(timer);
  timer = setTimeout(draw, PAUSE);
}

async function draw() {
  const mine = (under_way = { controller: new AbortController(), began: performance.now(), dirty: false, compiling: false });
  const asked = request();
  stage.busy(SIDES);
  try {
    for await (const piece of pieces("/api/draw", asked, mine.controller.signal)) await take(piece, asked, mine);
    if (!mine.failed) stage.status(`Drawn in ${Math.round(performance.now() - mine.began)} ms.${mine.note ?? ""}`);
    document.body.dataset.drawn = Number(document.body.dataset.drawn ?? 0) + 1;
  } catch (error) {
    if (error.name !== "AbortError") stage.status(error.message);
  }
  if (under_way !== mine) return;
  under_way = null;
  if (mine.dirty) draw();
  else stage.busy([]);
}

async function take(piece, asked, mine) {
  switch (piece.event) {
    case "side":
      side(piece, asked);
      break;
    case "difference":
      stage.difference(piece);
      break;
    case "episode":
      episode(piece);
      break;
    case "compiling":
      mine.compiling = true;
      stage.status(`Compiling a program for ${piece.sides.join(" and ")}; pictures that need no other one are then drawn at once.`);
      for (const each of piece.sides) stage.over(each, "Compiling…");
      break;
    case "compiled":
      mine.compiling = false;
      break;
    case "frame":
      stage.over(piece.side, "");
      if (piece.seen_as) byId("as-agent-choice").hidden = false;
      await stage.frame(piece.side, piece);
      break;
    case "apart":
      mine.note = piece.share === null ? "" : ` ${share(piece.share)} of the pixels differ.`;
      break;
    case "problems":
      problems(piece);
      break;
    case "failed":
      mine.failed = true;
      stage.status(piece.message);
  }
}

const share = (part) => (part > 0 && part < 0.01 ? "Under 1 %" : `${Math.round(100 * part)} %`);

function side({ side, problems: found, values, inert }, asked) {
  const own = state.sides[side];
  own.problems = found;
  if (!found.length) {
    // What has been touched since the request was sent stays touched.
    const sent = asked[side].touched;
    own.touched = Object.fromEntries(Object.entries(own.touched).filter(([path, value]) => JSON.stringify(sent[path]) !== JSON.stringify(value)));
    own.values = values;
    own.inert = new Set(inert);
  }
  stage.over(side, found.length ? "The picture of the last configuration without problems." : "");
  settings.refresh();
  tellTroubles();
}

function problems({ side, problems: found }) {
  if (side) {
    state.sides[side].problems = found;
    stage.over(side, "This configuration cannot be drawn.");
    settings.refresh();
    tellTroubles();
  } else {
    stage.troubles(found.map((each) => ({ side: "", ...each })));
  }
}

function tellTroubles() {
  stage.troubles(SIDES.flatMap((side) => state.sides[side].problems.map((each) => ({ side, ...each }))));
  byId("prove").disabled = SIDES.some((side) => state.sides[side].problems.length) || byId("verdict").classList.contains("none");
}

function episode({ policies, policy, most: longest }) {
  const box = byId("policy");
  if (box.options.length !== policies.length || policies.some((name, place) => box.options[place].value !== name)) {
    box.replaceChildren(...policies.map((name) => element("option", { value: name }, name)));
  }
  box.value = state.policy = policy;
  most = longest;
  byId("steps").max = most;
  showStep();
}

function showStep() {
  byId("steps").value = state.steps;
  byId("step-shown").textContent = `${state.steps} / ${most}`;
}

function stop() {
  film?.abort();
  film = null;
  byId("play").classList.remove("playing");
  byId("play").setAttribute("aria-label", "Play");
}

async function play() {
  if (film) {
    stop();
    history.replaceState(null, "", toAddress());
    return;
  }
  if (under_way) under_way.controller.abort();
  if (state.steps >= most || byId("play").dataset.over === String(state.steps)) state.steps = 0;
  const mine = (film = new AbortController());
  byId("play").classList.add("playing");
  byId("play").setAttribute("aria-label", "Pause");
  stage.status("Playing…");
  const queue = [];
  let over = false;
  let failed = "";
  const fetching = (async () => {
    for await (const piece of pieces("/api/play", request(), mine.signal)) {
      if (piece.event === "step") queue.push(piece);
      else if (piece.event === "compiling") stage.status("Compiling a program…");
      else if (piece.event === "problems" || piece.event === "failed") failed = piece.message ?? piece.problems[0].message;
      while (queue.length > AHEAD) await wait(10);
    }
  })();
  fetching.catch((error) => error.name !== "AbortError" && (failed = error.message)).finally(() => (over = true));
  let due = performance.now();
  while (film === mine && !(over && !queue.length)) {
    const piece = queue.shift();
    if (!piece) {
      await wait(5);
      continue;
    }
    await wait(due - performance.now());
    due = Math.max(due, performance.now() - 100) + 1000 / Number(byId("speed").value);
    if (film !== mine) return;
    state.steps = piece.steps;
    showStep();
    await Promise.all(SIDES.filter((each) => piece[each]).map((each) => stage.frame(each, piece[each])));
    stage.status(`Playing, step ${piece.steps}.`);
  }
  if (film !== mine) return;
  byId("play").dataset.over = state.steps;
  stop();
  stage.status(failed || `The episode ended at step ${state.steps}.`);
  history.replaceState(null, "", toAddress());
}

const wait = (time) => new Promise((done) => setTimeout(done, Math.max(0, time)));

async function load({ env, train, eval: evaluation, ...kept }) {
  if (env !== state.env || !description) describe(await ask(`/api/description/${env}`));
  const fresh = env !== state.env;
  state.env = env;
  if (train) put("train", train.base, train.values ?? train.set);
  if (evaluation) put("eval", evaluation.base, evaluation.values ?? evaluation.set);
  if (fresh) {
    Object.assign(state, { steps: 0, policy: "", asAgent: false });
    byId("as-agent-choice").hidden = true;
  }
  for (const key of ["seed", "steps", "policy", "editing"]) if (kept[key] !== undefined) state[key] = kept[key];
  if (kept.agent) state.asAgent = true;
  byId("environment").value = env;
  byId("seed").value = state.seed;
  byId("as-agent").checked = state.asAgent;
  document.querySelector(`[name=editing][value=${state.editing}]`).checked = true;
  showStep();
  stage.names();
  settings.build(change);
  changed();
  const notes = [train, evaluation].flatMap((each) => each?.notes ?? []);
  if (notes.length) stage.troubles([...new Set(notes)].map((message) => ({ side: "", path: "", message })));
}

function listen(start) {
  byId("environment").replaceChildren(...start.environments.map((name) => element("option", { value: name }, name)));
  byId("environment").addEventListener("change", async ({ target }) => {
    const both = { base: target.value, values: {} };
    await load({ env: target.value, train: both, eval: both, seed: 0 });
  });
  byId("editing").addEventListener("change", ({ target }) => {
    state.editing = target.value;
    settings.refresh();
    history.replaceState(null, "", toAddress());
  });
  for (const id of ["search", "only-changed"]) byId(id).addEventListener("input", settings.refresh);
  byId("steps").addEventListener("input", ({ target }) => {
    stop();
    state.steps = Number(target.value);
    showStep();
    later();
  });
  const seed = (value) => {
    if (!Number.isInteger(value) || value < 0 || value > 4294967295) return;
    stop();
    byId("seed").value = state.seed = value;
    later();
  };
  byId("seed").addEventListener("input", ({ target }) => target.value !== "" && seed(Number(target.value)));
  byId("seed-down").addEventListener("click", () => seed(state.seed - 1));
  byId("seed-up").addEventListener("click", () => seed(state.seed + 1));
  byId("seed-any").addEventListener("click", () => seed(Math.floor(Math.random() * 100000)));
  byId("policy").addEventListener("change", ({ target }) => {
    state.policy = target.value;
    stop();
    later();
  });
  byId("as-agent").addEventListener("change", ({ target }) => {
    state.asAgent = target.checked;
    stop();
    later();
  });
  byId("play").addEventListener("click", play);
  byId("rewind").addEventListener("click", () => {
    stop();
    state.steps = 0;
    showStep();
    later();
  });
  byId("prove").addEventListener("click", prove);
  byId("swap").addEventListener("click", () => {
    const { train, eval: evaluation } = state.sides;
    Object.assign(state.sides, { train: evaluation, eval: train });
    stage.names();
    settings.refresh();
    changed();
  });
  byId("same").addEventListener("click", () => {
    put("eval", state.sides.train.base, shown("train"));
    stage.names();
    settings.refresh();
    changed();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, button, a, summary, dialog, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
    if (event.key === "/") byId("search").focus();
    else if (event.key === " ") play();
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => {
    const kept = fromAddress(location.hash);
    if (kept) load(kept);
  });
}

const start = await ask("/api/start");
listen(start);
dialogs(start, load);
const kept = fromAddress(location.hash);
try {
  await load(kept && start.environments.includes(kept.env) ? kept : start.start);
} catch (error) {
  stage.status(error.message);
}
