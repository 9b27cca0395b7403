"""What the service is told and answers: `Session`, `Receipt`, `WebhookEvent` and so on."""

from ._generated.types import *  # noqa: F403
from ._generated.types import __all__ as __all__
