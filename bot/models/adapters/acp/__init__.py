"""The adapter for harnesses, such as coding agents, over the Agent Client Protocol."""

from bot.models.adapters.acp.harness import Harness, harness_environment
from bot.models.adapters.acp.port import AcpPort
from bot.models.adapters.acp.sandbox import Shelter, shelter
from bot.models.adapters.acp.workspaces import Workspaces

__all__ = ["AcpPort", "Harness", "Shelter", "Workspaces", "harness_environment", "shelter"]
