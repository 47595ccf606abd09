"""External harnesses, such as coding agents, spoken to over the Agent Client Protocol."""

from bot.models.acp.harness import Harness, harness_environment
from bot.models.acp.port import AcpPort

__all__ = ["AcpPort", "Harness", "harness_environment"]
