"""For tests of your own: a client whose service is in memory, and genuine webhooks.

from ramz.testing import FakeRamz

def test_login():
    ramz = FakeRamz()
    log_in(ramz, "+213550000001", code="000000")
    assert ramz.sent[0].to == "+213550000001"
"""

from ._fake import FakeRamz
from ._sessions import SentCode
from ._webhook import webhook

__all__ = ["FakeRamz", "SentCode", "webhook"]
