"""gRPC: the official stubs, for those who want them (`pip install ramz[grpc]`).

    from ramz.grpc import channel
    from ramz.grpc.v1 import verify_pb2, verify_pb2_grpc

    with channel("localhost:50051", api_key) as connection:
        stub = verify_pb2_grpc.VerifyServiceStub(connection)
        stub.Send(verify_pb2.SendRequest(to="+213550000001"), timeout=10)

Messages and stubs are in `ramz.grpc.v1`. Nothing here repeats calls; see gRPC's own retry policies.
"""

try:
    import grpc as _  # noqa: F401
except ImportError as error:
    raise ImportError('gRPC is an extra: pip install "ramz[grpc]"') from error

from ._channel import aio_channel, channel
from ._errors import to_error

__all__ = ["aio_channel", "channel", "to_error"]
