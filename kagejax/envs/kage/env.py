"""Kage as an environment: level, rules and scene behind the contract."""

import dataclasses
import math

import jax
import jax.numpy as jnp

from kagejax.core import Box, Discrete, Environment, Transition

from . import cast, level, rules, scene
from .draws import Draws, chains
from .params import Look, Params, Plan
from .state import Episode, Frame, State, Tick

RESET_KEYS = 8
APPEARANCE_LINKS = 4
DISTRACTOR_LINKS = 9


@dataclasses.dataclass(frozen=True)
class KageEnv(Environment):
    """A side-scrolling platformer whose picture has many independent axes.

    Observation: u8 [H, W, 3]. Action: bitmask 0..7 (left 1, right 2, jump 4). Reward: SPEC section 4.5. An episode never
    terminates; it is truncated after `episode_length` steps. Made by `kagejax.make("kage")`.
    """

    plan: Plan
    renderer: str = "auto"  # "push" or "pull" force one way of drawing sprites; both draw the same picture

    def init(self, key: jax.Array, params: Params) -> State:
        """SPEC section 2."""
        plan, control, look = self.plan, params.control, params.look
        key = jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
        keys = jax.random.split(key, RESET_KEYS)
        own_key, level_key, background_key, tick_key, light_key, npc_key, sticky_key, distractor_key = keys
        roots = jnp.stack([own_key, npc_key, sticky_key, distractor_key, light_key, level_key])
        links = max(APPEARANCE_LINKS, 2 + 2 * plan.npc_slots, DISTRACTOR_LINKS if plan.distractor_slots else 0)
        following, (own, npc, sticky, distractor, light, level_chain) = chains(roots, links)

        draws = Draws()
        at_level = level.ask_level(draws, following[-1], level_chain[0], control, plan.segments)
        at_looks = self._ask_looks(draws, own, background_key, tick_key, look)
        at_lights = draws.uniforms(light[:1], *scene.LIGHT_PLACES, 2 * plan.lights) if plan.lights else None
        at_npcs = self._ask_npcs(draws, npc, params) if plan.npc_slots else None
        at_sticky = cast.ask_sticky(draws, sticky, look.sticky, plan.sticky_slots) if plan.sticky_slots else None
        at_distractors = None
        if plan.distractor_slots:
            at_distractors = cast.ask_distractors(draws, distractor, look.distractors, self._screen, plan.distractor_slots)
        drawn = draws.draw()

        tops = level.shape_level(*(drawn[at][0] for at in at_level), control)
        body = rules.new_body(*level.spawn(tops, control, plan.near_segments))
        background, preset, skin, shape, color, ground_color = drawn[at_looks][:, 0]
        people = hoppers = drifters = None
        if at_npcs:
            count, x, npc_skin = (drawn[at][:, 0] for at in at_npcs)
            people = cast.place_npcs(x, npc_skin, count[0], tops, look.npc, control)
        if at_sticky:
            hoppers = cast.place_sticky(drawn[at_sticky[0]][0, 0], drawn[at_sticky[1]], look.sticky, control)
        if at_distractors:
            drifters = cast.place_distractors(*(drawn[at] for at in at_distractors), look.distractors)
        episode = Episode(
            tops=tops,
            initial_x=body.x,
            skin=self._skin(skin, shape, color, params),
            shape=look.agent.shapes[shape],
            color=color,
            ground_color=ground_color,
            preset=preset if plan.presets else None,
            light_positions=drawn[at_lights].reshape(plan.lights, 2) if plan.lights else None,
            npc=people,
            sticky=hoppers and hoppers[0],
            distractors=drifters and drifters[0],
        )
        zero = jnp.float32(0)
        still = Frame(jnp.int32(0), zero)
        tick = Tick(
            body=body,
            score=rules.new_score(body.x),
            camera_x=rules.keep_inside(body.x - plan.width // 2, plan.width, control.world_width),
            key=tick_key,
            background=background,
            noise_seed=cast.noise_seed(background_key) if plan.noise else None,
            agent_frame=Frame(look.agent.animation.idle, zero),
            angle=zero,
            npc_frame=still if plan.npc_slots or plan.sticky_slots else None,
            sticky=hoppers and hoppers[1],
            distractors=drifters and drifters[1],
        )
        return State(episode, tick)

    def _ask_looks(self, draws: Draws, own: jax.Array, background_key: jax.Array, tick_key: jax.Array, look: Look) -> tuple:
        """Background, preset, skin, shape, colour, ground colour. `own`: links of what is left of the reset key."""
        agent = look.agent
        several_skins = (agent.skin_count > 1).astype(jnp.int32)  # only then does the skin take a link of the chain
        shape_key = own[several_skins]
        # Shape and ground colour come from one subkey, as in the reference; each is an index into a list of its own.
        keys = jnp.stack([background_key, tick_key, own[0], shape_key, own[several_skins + 1], shape_key])
        counts = (look.background.count, look.preset_count, agent.skin_count)
        counts += (agent.shape_count, agent.color_count, look.ground_count)
        return draws.integers(keys, 0, jnp.stack(counts))

    def _ask_npcs(self, draws: Draws, npc: jax.Array, params: Params) -> tuple:
        crowd, slots = params.look.npc, self.plan.npc_slots
        count = draws.integers(npc[:1], crowd.min_count, crowd.max_count + 1)
        x = draws.integers(npc[2 : 2 + 2 * slots : 2], *cast.npc_columns(params.control))
        return count, x, draws.integers(npc[3 : 3 + 2 * slots : 2], 0, crowd.skin_count)

    def _skin(self, skin: jax.Array, shape: jax.Array, color: jax.Array, params: Params) -> jax.Array:
        """Row of Agent.skins: the drawn folder, or the sprite made of a drawn shape and colour."""
        agent = params.look.agent
        return jnp.where(agent.shape_count > 0, shape * jnp.maximum(agent.color_count, 1) + color, skin)

    def transition(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Transition:
        """SPEC sections 4 and 5. Later draws come from the state's own key, as in the reference; `key` is not used."""
        plan, control, look = self.plan, params.control, params.look
        episode, tick = state
        command = rules.decode(action)
        body = rules.move(tick.body, command, episode.tops, control, plan.near_segments, (plan.most_x, plan.most_y))
        score, reward = rules.count(tick.score, tick.body, body, command, episode.initial_x, control)
        margins = (look.left_margin, look.right_margin)
        camera = rules.follow(tick.camera_x, body.x, margins, plan.width, control.world_width)
        tick = self._decorate(tick, episode, params)._replace(
            body=body,
            score=score,
            camera_x=camera,
            agent_frame=cast.advance_agent_frame(tick.agent_frame, body.vx, look.agent.animation),
            angle=jnp.where(look.agent.rotates, (tick.angle + look.agent.rotation_speed) % 360.0, tick.angle),
        )
        state = State(episode, tick)
        return Transition(state, reward, jnp.bool_(False), rules.metrics(score, body, episode.initial_x, control))

    def _decorate(self, tick: Tick, episode: Episode, params: Params) -> Tick:
        plan, look = self.plan, params.look
        if plan.uses_key:
            key, hop_key, switch_key, new_key = jax.random.split(tick.key, 4)
            tick = tick._replace(key=key)
        if plan.switches:
            switch = jax.random.uniform(switch_key, (), jnp.float32) < look.background.switch_frequency
            background, noise_seed = cast.draw_background(new_key, look.background, plan)
            tick = tick._replace(background=jnp.where(switch, background, tick.background))
            if plan.noise:
                tick = tick._replace(noise_seed=jnp.where(switch, noise_seed, tick.noise_seed))
        if plan.npc_slots or plan.sticky_slots:
            crowds = [crowd for crowd in (look.npc, look.sticky and look.sticky.crowd) if crowd]
            cycle = math.prod(crowd.animation.frames for crowd in crowds)
            pace = crowds[0].animation._replace(frames=jnp.asarray(cycle, jnp.int32))
            tick = tick._replace(npc_frame=cast.advance_frame(tick.npc_frame, pace))
        if plan.sticky_slots and plan.sticky_hops:
            sticky = cast.hop(hop_key, tick.sticky, episode.sticky.home, look.sticky, params.control)
            tick = tick._replace(sticky=sticky)
        if plan.distractor_slots:
            moved = cast.drift(tick.distractors, episode.distractors.rotation, self._screen)
            tick = tick._replace(distractors=moved)
        return tick

    def observe(self, state: State, params: Params) -> jax.Array:
        """The picture, u8 [H, W, 3]. SPEC section 8."""
        return scene.drawer(self.plan, self.renderer)(state, params)

    def latent(self, state: State) -> dict:
        """Level, start, body and score."""
        episode, tick = state
        return {"tops": episode.tops, "initial_x": episode.initial_x, "body": tick.body, "score": tick.score}

    def truncated(self, state: State, params: Params) -> jax.Array:
        """Whether the episode has had its `episode_length` steps."""
        return state.tick.score.t >= params.control.episode_length

    def params_axes(self, params: Params) -> Params:
        """All but the bank is stacked by `make_batch`."""
        axes = jax.tree.map(lambda _: 0, params)
        return axes._replace(bank=jax.tree.map(lambda _: None, params.bank))

    @property
    def action_space(self) -> Discrete:
        """Bitmask of left, right and jump."""
        return Discrete(rules.ACTIONS)

    @property
    def observation_space(self) -> Box:
        """RGB, row 0 at the top."""
        return Box(0, 255, (self.plan.height, self.plan.width, 3), jnp.uint8)

    @property
    def _screen(self) -> tuple[int, int]:
        return self.plan.height, self.plan.width
