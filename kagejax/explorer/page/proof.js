// The proof by playing, which runs while a person goes on with something else.

import { pieces } from "./api.js";
import { byId } from "./dom.js";
import * as stage from "./stage.js";
import { request } from "./state.js";

const settings = ({ env, train, eval: evaluation }) => JSON.stringify([env, train, evaluation]);

export async function prove() {
  const asked = request();
  stage.proof("Playing both sides, 4 × 640 steps. The first time this compiles, for up to a minute…");
  byId("prove").disabled = true;
  try {
    for await (const piece of pieces("/api/proof", asked)) {
      // The verdict on other settings must not stand under these.
      if (settings(asked) === settings(request())) tell(piece);
    }
  } catch (error) {
    stage.proof(error.message, "bad");
  }
  byId("prove").disabled = false;
}

function tell(piece) {
  if (piece.event === "problems" || piece.event === "failed") {
    stage.proof(piece.message ?? piece.problems[0].message, "bad");
  } else if (piece.event === "proof" && piece.holds) {
    const frames = `${Math.round(100 * piece.frames)} % of the frames differ`;
    stage.proof(`✓ Proven: over 4 × 640 steps the game is the same, bit for bit, and ${frames}.`, "good");
  } else if (piece.event === "proof") {
    stage.proof(`✗ Not render-only: ${piece.lines.slice(1, -1).join("; ")}.`, "bad");
  }
}
