"""External harnesses, such as coding agents, spoken to over the Agent Client Protocol."""

from bot.models.acp.harness import Harness, harness_environment
from bot.models.acp.port import AcpPort
from bot.models.acp.sandbox import Shelter, shelter
from bot.models.acp.workspaces import Workspaces

__all__ = ["AcpPort", "Harness", "Shelter", "Workspaces", "harness_environment", "shelter"]
