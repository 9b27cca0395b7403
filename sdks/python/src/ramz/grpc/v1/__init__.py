"""Messages (`*_pb2`) and stubs (`*_pb2_grpc`) of the contract's package `ramz.v1`."""
