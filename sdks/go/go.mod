// The Go SDK of Ramz, see README.md.
module github.com/ramz-verify/ramz/sdks/go

go 1.23

require (
	connectrpc.com/connect v1.18.1
	google.golang.org/protobuf v1.36.11
)
