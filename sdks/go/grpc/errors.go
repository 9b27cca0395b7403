// Package ramzgrpc is for programs that call Ramz over gRPC: the stubs are in its packages ramzv1 and ramzv1connect, and
// [FromConnect] makes the SDK's errors of theirs. Most programs take package ramz, one folder up, which needs no protobuf.
package ramzgrpc

import (
	"errors"

	"connectrpc.com/connect"
	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"github.com/ramz-verify/ramz/sdks/go/internal/rpcstatus"
)

// FromConnect makes a [*ramz.Error] of an error that the stubs returned, over Connect, gRPC or gRPC-Web; other errors, nil
// among them, are returned as they are.
func FromConnect(err error) error {
	var wire *connect.Error
	if !errors.As(err, &wire) {
		return err
	}
	if !connect.IsWireError(err) && len(wire.Details()) == 0 {
		kind := ramz.KindNetwork
		switch wire.Code() {
		case connect.CodeDeadlineExceeded:
			kind = ramz.KindTimeout
		case connect.CodeCanceled:
			kind = ramz.KindCanceled
		}
		return &ramz.Error{Kind: kind, Message: wire.Message(), Err: cause{err, wire}}
	}
	status := rpcstatus.New(wire.Meta())
	for _, detail := range wire.Details() {
		status.Read(detail.Type(), detail.Bytes())
	}
	code := status.HTTPStatus(wire.Code().String())
	return &ramz.Error{
		Kind: ramz.Kind(codes.KindOf(code, status.Code)), Code: ramz.ErrorCode(status.Code), Status: code, Message: wire.Message(),
		Field: status.Field, RequestID: status.RequestID, RetryAfter: status.RetryAfter, Details: status.Details, Err: cause{err, wire},
	}
}

// cause is the stubs' error, with the text that the message has already.
type cause struct {
	error
	wire *connect.Error
}

func (c cause) Error() string { return c.wire.Message() }
func (c cause) Unwrap() error { return c.error }
