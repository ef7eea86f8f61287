import jax
import jax.numpy as jnp
import pytest

from benchmarks import _programs, _proof


def looped(stage, step):
    """The program of `step(move, draw, carry)`: `move` gives the carry after a step of the game, `draw` pictures of states."""

    def run(params, key, actions, ids, carry):
        def move(carry):
            return _programs._play(stage.env, False, False, params, key, actions, ids, carry)

        return step(move, lambda state: jax.vmap(stage.env.observe, (0, None))(state, params), carry)

    return _programs._loop(stage, run)


def dropped(move, draw, carry):
    carry = move(carry)
    draw(carry.state)
    return carry


def never_written(move, draw, carry):
    return move(carry)


def first_row_only(move, draw, carry):
    carry = move(carry)
    return carry._replace(frames=carry.frames.at[:, :1].set(draw(carry.state)[:, :1]))


def always_of(state):
    """Draws at every turn, but always the same states."""
    first = jax.device_get(state)
    return lambda move, draw, carry: move(carry)._replace(frames=draw(first))


def prove(corridor, program, drawn=True):
    text = corridor.compiled(program, drawn).executable.as_text()
    _proof.require_drawing(text, corridor.stage.frame, corridor.stage.envs)


@pytest.mark.parametrize("tier", ["frames", "frames_reset"])
def test_the_tiers_draw(corridor, tier):
    text = getattr(corridor, tier).executable.as_text()
    _proof.require_drawing(text, corridor.stage.frame, corridor.stage.envs)


def test_frames_that_the_compiler_dropped_are_found_out(corridor):
    with pytest.raises(_proof.FramesNotDrawn) as raised:
        prove(corridor, looped(corridor.stage, dropped), drawn=False)
    assert str(raised.value) == (
        "The compiled program does not draw 4 frames at each step: its loop carries no u8 buffer of 768 elements. The row is "
        "refused, since its figure would be that of a program without pictures. Make sure that the loop keeps what `observe` "
        "gives of its new state."
    )


def test_a_buffer_that_nobody_writes_is_found_out(corridor):
    with pytest.raises(_proof.FramesNotDrawn, match=r"carries no u8 buffer|stays as it is"):
        prove(corridor, looped(corridor.stage, never_written))


def test_frames_that_are_the_same_at_each_step_are_found_out(corridor):
    with pytest.raises(_proof.FramesNotDrawn, match=r"drawn once, outside of the loop|does not depend on any state"):
        prove(corridor, looped(corridor.stage, always_of(corridor.state)))


def test_frames_made_from_the_clock_alone_are_found_out(corridor):
    with pytest.raises(_proof.FramesNotDrawn, match="does not depend on any state that changes"):
        prove(corridor, _programs.fill(corridor.stage))


def test_more_frames_than_the_program_draws_are_found_out(corridor):
    text = corridor.frames.executable.as_text()
    with pytest.raises(_proof.FramesNotDrawn, match=r"does not draw 5 frames .* buffer of 960 elements"):
        _proof.require_drawing(text, corridor.stage.frame, 5)


def test_a_program_without_a_loop_is_found_out(corridor):
    text = jax.jit(lambda x: x + 1).lower(jnp.zeros(3)).compile().as_text()
    with pytest.raises(_proof.FramesNotDrawn, match="it has no loop"):
        _proof.require_drawing(text, corridor.stage.frame, 4)


def carries(corridor):
    """Two carries that differ in what lies in the buffer of frames."""
    for value in (0, 255):
        carry = _programs.first(corridor.stage, corridor.state, True)
        yield carry._replace(frames=_programs.blank(corridor.stage, value))


def test_a_step_that_writes_whole_frames_passes(corridor):
    _proof.require_whole(lambda carry: corridor.frames.call(1, carry), carries(corridor))


def test_a_step_that_leaves_part_of_a_frame_is_found_out(corridor):
    program = corridor.compiled(looped(corridor.stage, first_row_only))
    with pytest.raises(_proof.FramesNotDrawn, match=r"In 4 of 4 frames a step leaves bytes of the buffer as they were"):
        _proof.require_whole(lambda carry: program.call(1, carry), carries(corridor))
