"""Path puzzles as an environment: rules and scene behind the contract."""

import dataclasses

import jax
import jax.numpy as jnp

from kagejax.core import Box, Discrete, Environment, Transition

from . import rules, scene
from .layers import LAYERS, SHAPE_LAYERS
from .names import CAUSES, RULES
from .params import Episode, Params, Plan, State, Tick

GOING_ON, REACHED_END, NO_MOVE, STEP_LIMIT = range(len(CAUSES))


@dataclasses.dataclass(frozen=True)
class SpatialEnv(Environment):
    """Draw one line from start to end that satisfies every region and every symbol.

    Action: 0 right, 1 up, 2 left, 3 down (`names.ACTIONS`); one that is not legal costs a step and moves nothing.
    Observation: u8 [height, width, layers] of 0 and 1 on the padded lattice (`layers.LAYERS`), or a picture u8 [height, width,
    3]. Terminates at the end position, right or wrong; truncates where no action is legal and at the step limit, told apart by
    the metric `cause`. Made by `kagejax.make("spatial")`.
    """

    plan: Plan
    renderer: str = "auto"  # "push" or "pull" force one way of drawing tiles; both draw the same picture

    def init(self, key: jax.Array, params: Params) -> State:
        """A puzzle of the configuration, each as likely, drawn from `key`."""
        index = jax.random.randint(key, (), 0, params.control.puzzles, jnp.int32)
        return self.start(index, params)

    def start(self, index: jax.Array, params: Params) -> State:
        """The first state of puzzle `index` (i32) of the configuration, whatever was played before."""
        puzzle = params.control.first_puzzle + jnp.asarray(index, jnp.int32)
        return State(Episode(puzzle), rules.start(puzzle, params.bank, self.plan.lattice))

    def transition(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Transition:
        """SPEC section 5.4. `key` is not used: moves are certain. Nothing stops a line from going on past its end."""
        control, bank, puzzle = params.control, params.bank, state.episode.puzzle
        before = state.tick
        tick = rules.move(before, jnp.asarray(action, jnp.int32), puzzle, control.traceback, bank, self.plan.lattice)
        state = State(state.episode, tick)
        reached = self._reached(state, params)
        marks = rules.judge(self.plan.lattice, self.plan.most_ylops)(puzzle, tick.visited, reached, bank)
        solved = jnp.stack(marks).all()
        cause = self._cause(state, params)
        moved = tick.length != before.length
        on_solution = jnp.where(rules.stored(tick, bank.solutions, puzzle), 1.0, -1.0)
        upstream = jnp.where(moved & (bank.solutions.count[puzzle] > 0), on_solution, 0.0)
        gained = (tick.matched - before.matched).astype(jnp.float32)
        shaping = control.scale * jnp.where(control.upstream, upstream, gained)
        outcome = jnp.where(solved, control.win, control.lose)
        reward = jnp.where(cause == GOING_ON, shaping, outcome).astype(jnp.float32)
        return Transition(state, reward, reached, self._metrics(state, marks, reached, solved, cause, params))

    def _metrics(self, state, marks, reached, solved, cause, params) -> dict[str, jax.Array]:
        # A line of legal moves neither crosses itself nor a gap, so its first three verdicts are one.
        verdicts = zip(RULES, (reached, reached, reached, *marks), strict=True)
        tick, bank, puzzle = state.tick, params.bank, state.episode.puzzle
        shortest = bank.solutions.shortest[puzzle]
        share = shortest.astype(jnp.float32) / jnp.maximum(tick.length, 1).astype(jnp.float32)
        return {
            "success_once": solved.astype(jnp.float32),
            "episode_steps": tick.t.astype(jnp.float32),
            "path_length": tick.length.astype(jnp.float32),
            "optimality": jnp.where(solved & (shortest > 0), share, 0.0),
            "invalid_actions": tick.invalid.astype(jnp.float32),
            "backtracks": tick.backtracks.astype(jnp.float32),
            "no_legal_move": (cause == NO_MOVE).astype(jnp.float32),
            "step_limit": (cause == STEP_LIMIT).astype(jnp.float32),
            **{name: flag.astype(jnp.float32) for name, flag in verdicts},
            "cause": cause,
            "puzzle": puzzle - params.control.first_puzzle,
            "level": bank.lines.level[puzzle],
            "kinds": bank.lines.kinds[puzzle],
        }

    def _reached(self, state: State, params: Params) -> jax.Array:
        return state.tick.position == params.bank.lines.end[state.episode.puzzle]

    def _cause(self, state: State, params: Params) -> jax.Array:
        stuck = ~self.action_mask(state, params).any()
        late = state.tick.t >= params.control.max_steps
        cut = jnp.where(stuck, NO_MOVE, jnp.where(late, STEP_LIMIT, GOING_ON))
        return jnp.where(self._reached(state, params), REACHED_END, cut).astype(jnp.int32)

    def action_mask(self, state: State, params: Params) -> jax.Array:
        """Which actions are legal, bool [4]."""
        control = params.control
        return rules.legal(state.tick, state.episode.puzzle, control.traceback, params.bank, self.plan.lattice)

    def latent(self, state: State) -> tuple[Episode, Tick]:
        """Puzzle and line."""
        return state.episode, state.tick

    def truncated(self, state: State, params: Params) -> jax.Array:
        """Whether no action is legal or the steps are used up, and the line is not at the end."""
        cause = self._cause(state, params)
        return (cause == NO_MOVE) | (cause == STEP_LIMIT)

    def observe(self, state: State, params: Params) -> jax.Array:
        """What the agent sees."""
        return scene.observe(state, params, self.plan, self.renderer)

    def params_axes(self, params: Params) -> Params:
        """All but the bank is stacked by `make_batch`."""
        axes = jax.tree.map(lambda _: 0, params)
        return axes._replace(bank=jax.tree.map(lambda _: None, params.bank))

    @property
    def action_space(self) -> Discrete:
        """Right, up, left, down."""
        return Discrete(4)

    @property
    def observation_space(self) -> Box:
        """By `observation.kind`."""
        if self.plan.kind == "picture":
            return Box(0, 255, (self.plan.height, self.plan.width, 3), jnp.uint8)
        layers = len(LAYERS) + (len(SHAPE_LAYERS) if self.plan.boxes else 0)
        return Box(0, 1, (self.plan.lattice.height, self.plan.lattice.width, layers), jnp.uint8)
