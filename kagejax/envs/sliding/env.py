"""Sliding puzzles as an environment: rules and scene behind the contract."""

import dataclasses

import jax
import jax.numpy as jnp

from kagejax.core import Box, Discrete, Environment, Text, Transition
from kagejax.core.pixel_rng import seed_of

from . import rules, scene, text
from .params import PICTURES, REWARDS, STARTS, Control, Episode, Params, Plan, State, Tick
from .table import rank

SEED_STREAM = 1


@dataclasses.dataclass(frozen=True)
class SlidingEnv(Environment):
    """A sliding puzzle: bring the tiles into reading order.

    Observation: by `observation.kind`, u8 [H, W, 3] by default. Action: 0 up, 1 down, 2 left, 3 right, by the motion of the
    tile (4 does nothing with `play.noop`), or a stick f32 [2]. Terminates when a move solves the board. Made by
    `kagejax.make("sliding")`.
    """

    plan: Plan
    renderer: str = "auto"  # "push" or "pull" force one way of drawing tiles; both draw the same picture

    def init(self, key: jax.Array, params: Params) -> State:
        """SPEC section 5, with an episode's picture from the same key."""
        board_key, picture_key = jax.random.split(key)
        return self.start(self._board(board_key, params.control), picture_key, params)

    def start(self, board: jax.Array, key: jax.Array, params: Params) -> State:
        """An episode from `board` [N] in reading order, 0 for the blank, with a picture drawn from `key`.

        Nothing is checked: `rules.why_unsolvable` says on the host whether a board can be solved.
        """
        plan, grid = self.plan, self.plan.grid
        board = jnp.asarray(board, grid.dtype)
        optimal = params.bank.optimal[rank(board)] if plan.optimal else None
        draw_key, seed_key = jax.random.split(key)
        episode = Episode(
            picture=jax.random.randint(draw_key, (), 0, params.look.pictures, jnp.int32),
            seed=seed_of(seed_key, SEED_STREAM) if plan.seeded else None,
            optimal=optimal,
        )
        tick = Tick(
            board=board,
            blank=jnp.argmin(board).astype(jnp.int32),
            distance=rules.distance(board, grid),
            t=jnp.int32(0),
            last_reward=params.control.move,
            solved=jnp.bool_(False) if plan.sticky else None,
        )
        return State(episode, tick)

    def _board(self, key: jax.Array, control: Control) -> jax.Array:
        grid, starts = self.plan.grid, self.plan.starts
        make = {
            "uniform": lambda: rules.random_board(key, grid),
            "scramble": lambda: rules.scramble(key, control.scramble_steps, control.scramble_enough, grid),
            "board": lambda: control.board,
        }
        board = make[starts[0]]()
        for name in starts[1:]:
            board = jnp.where(control.start == STARTS.index(name), make[name](), board)
        return board

    def transition(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Transition:
        """SPEC sections 3 and 4. `key` is not used: moves are certain."""
        plan, control, (episode, tick) = self.plan, params.control, state
        if plan.joystick:
            action = rules.joystick(action, control.joystick_threshold)
        action = jnp.asarray(action, jnp.int32)
        rests = action == rules.NOOP if plan.noop or plan.joystick else jnp.bool_(False)
        target, moved = rules.target_of(tick.blank, action, plan.grid, control.circular)
        target = jnp.where(moved, target, tick.blank)
        board, change = rules.exchange(tick.board, tick.blank, target, plan.grid)
        distance = tick.distance + change
        solved = distance == 0
        invalid = (action >= 0) & (action < 4) & ~moved
        reward = self._reward(board, distance, solved, control)
        reward = jnp.where(invalid, jnp.where(control.invalid_repeats, tick.last_reward, control.invalid), reward)
        reward = jnp.where(rests, tick.last_reward, reward)
        terminated = solved & moved
        if plan.sticky:
            outliving = jnp.where(invalid | rests, tick.solved, solved)
            terminated = jnp.where(control.sticky, outliving, terminated)
        t = tick.t + jnp.where(rests, 0, 1)
        kept = terminated if plan.sticky else None
        state = State(episode, Tick(board, target, distance, t, reward, kept))
        paid = jnp.where(control.exponential, jnp.exp(reward), reward)
        return Transition(state, paid, terminated, self._metrics(state, terminated))

    def _reward(self, board: jax.Array, distance: jax.Array, solved: jax.Array, control: Control) -> jax.Array:
        grid = self.plan.grid
        apart = -rules.shares(distance, rules.normaliser(grid))
        share = -rules.shares(rules.wrong(board, grid), grid.cells - 1)
        by_board = jnp.where(control.reward_mode == REWARDS.index("percent_solved"), share, apart)
        by_board = jnp.where(control.reward_mode == REWARDS.index("sparse"), control.move, by_board)
        return jnp.where(solved, control.win, by_board)

    def _metrics(self, state: State, terminated: jax.Array) -> dict[str, jax.Array]:
        metrics = {
            "success_once": terminated.astype(jnp.float32),
            "episode_steps": state.tick.t.astype(jnp.float32),
            "manhattan": state.tick.distance.astype(jnp.float32),
        }
        if self.plan.optimal:
            least = state.episode.optimal.astype(jnp.float32)
            metrics["optimal_length"] = least
            metrics["optimality"] = jnp.where(terminated, least / jnp.maximum(state.tick.t, 1).astype(jnp.float32), 0.0)
        return metrics

    def reset_where(self, done: jax.Array, key: jax.Array, state: State, params: Params) -> State:
        """As for any environment, but a sticky flag goes over into the next episode, unless moves of a scramble clear it."""
        fresh = super().reset_where(done, key, state, params)
        if not self.plan.sticky:
            return fresh
        control = params.control
        cleared = done & (control.start == STARTS.index("scramble")) & (control.scramble_steps > 0)
        return fresh._replace(tick=fresh.tick._replace(solved=state.tick.solved & ~cleared))

    def latent(self, state: State) -> Tick:
        """All that moves."""
        return state.tick

    def truncated(self, state: State, params: Params) -> jax.Array:
        """Whether `max_steps` steps have been counted."""
        return state.tick.t >= params.control.max_steps

    def observe(self, state: State, params: Params) -> jax.Array:
        """What the agent sees. SPEC section 7."""
        return scene.observe(state, params, self.plan, self.renderer)

    def valid_actions(self, state: State) -> jax.Array:
        """Which of the four moves stay inside the grid, bool [4]."""
        return rules.valid_actions(state.tick.blank, self.plan.grid)

    def text_of(self, observation: jax.Array) -> str:
        """The string of an observation of kind text (host side)."""
        return text.decode(observation, self.plan.alphabet)

    def params_axes(self, params: Params) -> Params:
        """All but the bank is stacked by `make_batch`."""
        axes = jax.tree.map(lambda _: 0, params)
        return axes._replace(bank=jax.tree.map(lambda _: None, params.bank))

    @property
    def action_space(self) -> Discrete | Box:
        """Four moves, five actions with `play.noop`, or a stick (vertical, horizontal)."""
        if self.plan.joystick:
            return Box(-1.0, 1.0, (2,), jnp.float32)
        return Discrete(5 if self.plan.noop else 4)

    @property
    def observation_space(self) -> Box | Text:
        """By `observation.kind`."""
        plan, grid = self.plan, self.plan.grid
        if plan.kind in PICTURES:
            size = (3, plan.height, plan.width) if plan.channels_first else (plan.height, plan.width, 3)
            return Box(0.0, 1.0, size, jnp.float32) if plan.scaled else Box(0, 255, size, jnp.uint8)
        if plan.kind == "raw":
            return Box(plan.blank_value, grid.cells - 1, tuple(grid), jnp.int32)
        if plan.kind == "normalized":
            return Box(float(plan.blank_value), 1.0, tuple(grid), jnp.float32)
        if plan.kind == "onehot":
            return Box(0.0, 1.0, (grid.cells**2,), jnp.float32)
        if plan.kind == "coordinates":
            longest = max(grid) - 1
            return Box(0.0, 1.0 if plan.normalize_coordinates else float(longest), (2 * grid.cells,), jnp.float32)
        return Text(plan.text_length, len(plan.alphabet) + 1)
