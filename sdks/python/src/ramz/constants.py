"""The words of the service, e.g. `SessionStatus.PENDING` and `ErrorCode.RESEND_TOO_SOON`.

They are plain strings, and more may come: accept those you do not know.
"""

from ._generated.constants import *  # noqa: F403
from ._generated.constants import __all__ as __all__
