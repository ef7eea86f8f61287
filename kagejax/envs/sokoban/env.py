"""Sokoban as an environment: rules and scene behind the contract."""

import dataclasses

import jax
import jax.numpy as jnp

from kagejax.core import Box, Dict, Discrete, Environment, Transition
from kagejax.core.pixel_rng import seed_of

from . import rules, scene
from .params import Episode, Levels, Params, Plan, State, Tick
from .themes import SIZE

NOISE_STREAM = 1


@dataclasses.dataclass(frozen=True)
class SokobanEnv(Environment):
    """Push every box onto a goal.

    Observation: {"board", "goal"}, u8 [64, 64, 3] each, the goal picture showing the solved board; or by `observation.kind`
    the board alone, or symbols. Action: 0 up, 1 down, 2 left, 3 right. Terminates when solved; a state past its end stays as
    it is. Made by `kagejax.make("sokoban")`.
    """

    plan: Plan
    renderer: str = "auto"  # "push" or "pull" force one way of drawing tiles; both draw the same picture

    def init(self, key: jax.Array, params: Params) -> State:
        """A level of the bank, drawn from `key`."""
        level_key, noise_key = jax.random.split(key)
        index = jax.random.randint(level_key, (), 0, params.control.levels, jnp.int32)
        return self.start(index, noise_key, params)

    def start(self, index: jax.Array, key: jax.Array, params: Params) -> State:
        """The first state of level `index` (i32) of the configuration; `key` is for noise in its pictures alone."""
        control, look = params.control, params.look
        level = jax.tree.map(lambda x: x[control.first_level + index], params.bank.levels)
        theme = look.first_theme + index % look.themes
        return self.begin(level, index, theme, key, params)

    def begin(self, level: Levels, index: jax.Array, theme: jax.Array, key: jax.Array, params: Params) -> State:
        """The first state of any `level` (one entry of `Levels`), in theme `theme` of the bank."""
        own = params.control.max_steps
        episode = Episode(
            puzzle=rules.Puzzle(level.walls, level.goals),
            level=jnp.asarray(index, jnp.int32),
            theme=jnp.asarray(theme, jnp.int32),
            boxes=jax.lax.population_count(level.boxes).sum(dtype=jnp.int32),
            max_steps=jnp.where(own > 0, own, level.max_steps),
            optimal=level.optimal,
            seed=seed_of(key, NOISE_STREAM) if self.plan.noisy else None,
        )
        return State(episode, Tick(rules.Position(level.boxes, level.player), jnp.int32(0), jnp.int32(0)))

    def transition(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Transition:
        """SPEC section 3. `key` is not used: moves are certain. After its end an episode does not go on, and earns nothing."""
        control, (episode, tick) = params.control, state
        before, puzzle = tick.position, episode.puzzle
        over = rules.is_solved(before.boxes, puzzle.goals) | (tick.t >= episode.max_steps)
        move = rules.step(before, jnp.asarray(action, jnp.int32), puzzle, self.plan.board)
        position = jax.tree.map(lambda old, new: jnp.where(over, old, new), before, move.position)
        counted = (~over).astype(jnp.int32)
        pushed = move.pushed & ~over
        tick = Tick(position, tick.t + counted, tick.pushes + pushed)
        solved = rules.is_solved(position.boxes, puzzle.goals)
        share = [rules.on_goals(boxes, puzzle.goals) for boxes in (before.boxes, position.boxes)]
        was, now = (count.astype(jnp.float32) / episode.boxes.astype(jnp.float32) for count in share)
        earned = jnp.where(solved, control.win, 0.0) - control.step_cost + control.shaping * (control.gamma * now - was)
        state = State(episode, tick)
        reward = jnp.where(over, 0.0, earned)
        flags = {"moved": move.moved & ~over, "pushed": pushed, "invalid": ~move.moved & ~over}
        return Transition(state, reward, solved, self._metrics(state, solved, now, flags))

    def _metrics(self, state: State, solved: jax.Array, share: jax.Array, flags: dict) -> dict[str, jax.Array]:
        steps = state.tick.t.astype(jnp.float32)
        optimal = state.episode.optimal.astype(jnp.float32)
        efficiency = jnp.where(solved & (state.episode.optimal > 0), optimal / jnp.maximum(steps, 1.0), 0.0)
        return {
            **flags,
            "success_once": solved.astype(jnp.float32),
            "episode_steps": steps,
            "pushes": state.tick.pushes.astype(jnp.float32),
            "boxes_on_goals": share,
            "optimality": efficiency,
        }

    def latent(self, state: State) -> tuple:
        """Level and position."""
        return state.episode.puzzle, state.episode.max_steps, state.tick

    def truncated(self, state: State, params: Params) -> jax.Array:
        """Whether the steps are used up and the board is not solved."""
        solved = rules.is_solved(state.tick.position.boxes, state.episode.puzzle.goals)
        return (state.tick.t >= state.episode.max_steps) & ~solved

    def observe(self, state: State, params: Params) -> jax.Array | dict[str, jax.Array]:
        """What the agent sees. SPEC section 4."""
        return scene.observe(state, params, self.plan, self.renderer)

    def params_axes(self, params: Params) -> Params:
        """All but the bank is stacked by `make_batch`."""
        axes = jax.tree.map(lambda _: 0, params)
        return axes._replace(bank=jax.tree.map(lambda _: None, params.bank))

    @property
    def action_space(self) -> Discrete:
        """Up, down, left, right."""
        return Discrete(4)

    @property
    def observation_space(self) -> Box | Dict:
        """By `observation.kind`."""
        if self.plan.kind == "symbolic":
            return Box(0, 1, (*self.plan.board, 4), jnp.uint8)
        picture = Box(0, 255, (SIZE, SIZE, 3), jnp.uint8)
        return Dict({"board": picture, "goal": picture}) if self.plan.kind == "pictures" else picture
