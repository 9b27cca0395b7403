// Stubs of Ramz for gRPC and Connect, see README.md. A module beside the SDK's, because it brings protobuf along.
module github.com/ramz-verify/ramz/sdks/go/grpc

go 1.24

require (
	connectrpc.com/connect v1.18.1
	github.com/ramz-verify/ramz/sdks/go v0.1.0
	google.golang.org/protobuf v1.36.11
)

replace github.com/ramz-verify/ramz/sdks/go => ../
