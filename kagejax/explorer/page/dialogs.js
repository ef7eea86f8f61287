// Opening and saving.

import { ask, Refused } from "./api.js";
import { byId, element } from "./dom.js";
import { shown, state } from "./state.js";

export function dialogs(start, load) {
  byId("folder").textContent = byId("save-folder").textContent = `${start.folder}/`;
  opening(start, load);
  saving();
}

function opening(start, load) {
  const [dialog, list, search, trouble] = ["open-dialog", "open-list", "open-search", "open-trouble"].map(byId);
  const files = [...start.files];

  byId("open").addEventListener("click", () => {
    trouble.hidden = true;
    search.value = "";
    fill();
    dialog.showModal();
    search.focus();
  });
  search.addEventListener("input", fill);
  document.addEventListener("saved", ({ detail }) => files.includes(detail) || files.unshift(detail));

  function fill() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const item = (name, title, open) => ({ text: `${name} ${title}`.toLowerCase(), node: () => element("button", { type: "button", onclick: () => attempt(open) }, element("b", {}, name), element("span", {}, title)) });
    const named = (name) => item(name, "", () => one({ source: name }));
    const sections = [
      ...start.suites.map((suite) => [`${suite.title} (pairs of ${suite.suite})`, suite.pairs.map((pair) => item(pair.id, pair.title, () => both(`${pair.id}/train`, `${pair.id}/eval`)))]),
      ["Environments and configurations", [...start.environments, ...start.configurations].map(named)],
      [`Files in ${start.folder}/`, files.map(named)],
    ];
    const found = sections.map(([title, items]) => [title, items.filter(({ text }) => words.every((word) => text.includes(word)))]);
    // What belongs to the environment on the page comes first.
    const near = ([title, items]) => items.some(({ text }) => text.startsWith(`${state.env}/`)) && title !== "Environments and configurations";
    const sorted = [...found.filter(near), ...found.filter((each) => !near(each))];
    list.replaceChildren(...sorted.filter(([, items]) => items.length).flatMap(([title, items]) => [element("h3", {}, title), ...items.map(({ node }) => node())]));
    if (!list.children.length) list.append(element("h3", {}, "Nothing matches."));
  }

  async function attempt(open) {
    trouble.hidden = true;
    try {
      await open();
      dialog.close();
    } catch (error) {
      trouble.hidden = false;
      trouble.textContent = error.message;
    }
  }

  async function both(train, evaluation) {
    const [first, second] = await Promise.all([ask("/api/open", { source: train }), ask("/api/open", { source: evaluation })]);
    await load({ env: first.env, train: first, eval: second });
  }

  async function one(asked) {
    const found = await ask("/api/open", asked);
    const into = byId("open-into").value;
    if (into !== "both" && found.env !== state.env) {
      throw new Error(`${found.base} configures ${found.env}, the other side ${state.env}. Open it into both sides.`);
    }
    await load({ env: found.env, ...(into === "both" ? { train: found, eval: found } : { [into]: found }) });
  }

  const file = () => attempt(() => one({ source: byId("open-path").value.trim() || "file" }));
  byId("open-path-go").addEventListener("click", file);
  byId("open-path").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      file();
    }
  });
  byId("open-upload").addEventListener("change", ({ target }) => {
    const [chosen] = target.files;
    if (chosen) attempt(async () => one({ name: chosen.name, text: await chosen.text() }));
    target.value = "";
  });
}

function saving() {
  const [dialog, told, go, path] = ["save-dialog", "save-told", "save-go", "save-path"].map(byId);
  const side = () => document.querySelector("[name=save-side]:checked").value;
  const asked = () => ({ env: state.env, base: state.sides[side()].base, values: shown(side()), changed: byId("save-changed").checked, seed: state.seed, steps: state.steps, policy: state.policy });
  let text = "";
  let overwrite = false;
  let named = false;

  function tell(message, bad = false) {
    told.textContent = message;
    told.classList.toggle("bad", bad);
  }

  function calm() {
    overwrite = false;
    go.textContent = "Save to file";
    tell("");
  }

  async function refresh() {
    calm();
    if (!named) path.value = `${state.env}_${side()}.yaml`;
    go.disabled = byId("download").disabled = byId("copy").disabled = true;
    try {
      const found = await ask("/api/yaml", asked());
      text = byId("yaml").textContent = found.yaml;
      byId("command").value = found.command;
      go.disabled = byId("download").disabled = byId("copy").disabled = false;
    } catch (error) {
      byId("yaml").textContent = byId("command").value = "";
      tell(error.message, true);
    }
  }

  byId("save").addEventListener("click", () => {
    const wanted = state.editing === "train" ? "train" : "eval";
    document.querySelector(`[name=save-side][value=${wanted}]`).checked = true;
    dialog.showModal();
    refresh();
  });
  byId("save-side").addEventListener("change", refresh);
  byId("save-changed").addEventListener("change", refresh);
  path.addEventListener("input", () => {
    named = true;
    calm();
  });
  path.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (!go.disabled) go.click();
    }
  });
  go.addEventListener("click", async () => {
    try {
      const { saved } = await ask("/api/save", { ...asked(), path: path.value.trim(), overwrite });
      calm();
      tell(`Saved as ${saved}.`);
      document.dispatchEvent(new CustomEvent("saved", { detail: saved }));
    } catch (error) {
      if (error instanceof Refused && error.status === 409) {
        overwrite = true;
        go.textContent = "Overwrite it";
        tell(`${error.answer.exists} is there already. Overwrite it, or choose another name.`, true);
      } else {
        tell(error.message, true);
      }
    }
  });
  byId("download").addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
    element("a", { href: address, download: path.value.trim().split("/").at(-1) || "config.yaml" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
  byId("copy").addEventListener("click", async () => {
    byId("command").select();
    try {
      await navigator.clipboard.writeText(byId("command").value);
      tell("Copied.");
    } catch {
      tell("The command is selected; copy it with Ctrl+C.");
    }
  });
}
