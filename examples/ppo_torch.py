"""PPO in torch on a batch of environments, in one file in the manner of CleanRL.

    python examples/ppo_torch.py --config sliding/simplest --envs 64 --steps 200000

Observations go from jax to torch by DLPack and actions back: on a GPU (with a torch that has CUDA) frames never leave it.
"""

import dataclasses
import time

import torch
import tyro
from gymnasium import make_vec
from torch import nn

import kagejax  # noqa: F401  (registers the environments)
from kagejax.adapters.torch import from_torch, to_torch


@dataclasses.dataclass
class Options:
    """Settings of a run."""

    config: str = "sliding/simplest"
    """An id or a YAML file of an environment whose observations are pictures."""
    env: str = "sliding"
    """The environment that it configures: kage, sliding or spatial."""
    envs: int = 64
    """Environments that step together."""
    steps: int = 200_000
    """Environment steps in all."""
    rollout: int = 64
    """Steps of each environment between two updates."""
    epochs: int = 4
    """Passes over a rollout."""
    minibatches: int = 4
    """Parts of a pass."""
    learning_rate: float = 5e-4
    """Of Adam."""
    gamma: float = 0.99
    """Discount."""
    gae_lambda: float = 0.95
    """Mixing of the advantage's horizons."""
    clip: float = 0.2
    """Farthest that a probability ratio counts."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    seed: int = 1
    """Of the environments and the network."""


class Agent(nn.Module):
    """A small convolutional network with two heads."""

    def __init__(self, shape: tuple[int, ...], actions: int):
        super().__init__()
        height, width, channels = shape
        convolutions = nn.Conv2d(channels, 16, 4, 4), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU()
        self.body = nn.Sequential(*convolutions, nn.Flatten(), nn.LazyLinear(128), nn.ReLU())
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)
        self(torch.zeros(1, height, width, channels))

    def forward(self, pictures: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """The policy and the value of pictures [n, height, width, channels]."""
        features = self.body(pictures.permute(0, 3, 1, 2).float() / 255)
        return torch.distributions.Categorical(logits=self.actor(features)), self.critic(features).squeeze(-1)


def train(options: Options) -> list[float]:
    """Trains and gives the mean reward per step of each rollout."""
    torch.manual_seed(options.seed)
    name, settings = f"kagejax/{options.env.capitalize()}-v0", {"autoreset_mode": "SameStep", "device_observations": True}
    envs = make_vec(name, num_envs=options.envs, config=options.config, **settings)
    observation = to_torch(envs.reset(seed=options.seed)[0])
    device, shape = observation.device, envs.single_observation_space.shape
    agent = Agent(shape, int(envs.single_action_space.n)).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), options.learning_rate, eps=1e-5)
    size = (options.rollout, options.envs)
    observations = torch.zeros((*size, *shape), dtype=torch.uint8, device=device)
    actions = torch.zeros(size, dtype=torch.long, device=device)
    logprobs, rewards, dones, values = (torch.zeros(size, device=device) for _ in range(4))
    history, start = [], time.perf_counter()

    for update in range(max(1, options.steps // (options.rollout * options.envs))):
        for t in range(options.rollout):
            with torch.no_grad():
                policy, values[t] = agent(observation)
                actions[t] = policy.sample()
                logprobs[t] = policy.log_prob(actions[t])
            observations[t] = observation
            stepped = envs.step(from_torch(actions[t]))
            observation, rewards[t], terminated, truncated = (to_torch(part) for part in stepped[:4])
            dones[t] = (terminated | truncated).float()
            if truncated.any():  # a time limit is no end: what would have followed counts
                with torch.no_grad():
                    beyond = agent(to_torch(envs.unwrapped.final_observations()))[1]
                rewards[t] += options.gamma * beyond * (truncated & ~terminated)
        with torch.no_grad():
            following, advantages, carried = agent(observation)[1], torch.zeros_like(rewards), 0.0
            for t in reversed(range(options.rollout)):
                going_on = 1 - dones[t]
                delta = rewards[t] + options.gamma * following * going_on - values[t]
                advantages[t] = carried = delta + options.gamma * options.gae_lambda * going_on * carried
                following = values[t]
        improve(agent, optimizer, options, observations, actions, logprobs, advantages, advantages + values)
        history.append(rewards.mean().item())
        pace = (update + 1) * options.rollout * options.envs / (time.perf_counter() - start)
        print(f"update {update + 1}: reward per step {history[-1]:.4f}, {pace:,.0f} steps/s")
    envs.close()
    return history


def improve(agent, optimizer, options, observations, actions, logprobs, advantages, returns) -> None:
    """The epochs of one rollout."""
    observations, actions, logprobs, advantages, returns = (
        x.flatten(0, 1) for x in (observations, actions, logprobs, advantages, returns)
    )
    for _ in range(options.epochs):
        for part in torch.randperm(len(actions), device=actions.device).chunk(options.minibatches):
            policy, value = agent(observations[part])
            gain = advantages[part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = (policy.log_prob(actions[part]) - logprobs[part]).exp()
            clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
            actor_loss = -torch.min(ratio * gain, clipped * gain).mean()
            critic_loss = 0.5 * (value - returns[part]).square().mean()
            loss = actor_loss + 0.5 * critic_loss - options.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


if __name__ == "__main__":
    train(tyro.cli(Options, description=__doc__))
