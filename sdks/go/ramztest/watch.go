package ramztest

import (
	"context"
	"errors"

	"connectrpc.com/connect"
	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/ramzv1/ramzv1connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// watcher is the one operation that is a stream.
type watcher struct {
	ramzv1connect.UnimplementedVerifyServiceHandler
	fake *Fake
}

// WatchSession tells the session after every change, until it is over.
func (w watcher) WatchSession(ctx context.Context, request *connect.Request[ramz.WatchSessionRequest], stream *connect.ServerStream[ramz.WatchSessionResponse]) error {
	for told := 0; ; {
		state, changed, code := w.look(request.Msg.GetId())
		if code != "" {
			return refusal(code)
		}
		if err := stream.Send(&ramz.WatchSessionResponse{Session: state, NewEntries: state.Timeline[told:]}); err != nil {
			return err
		}
		told = len(state.Timeline)
		if state.Status != ramz.SessionStatusPending {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// look tells how the session stands, and what closes when that changes; or the code of the refusal.
func (w watcher) look(id string) (state *ramz.Session, changed <-chan struct{}, code string) {
	w.fake.mutex.Lock()
	defer w.fake.mutex.Unlock()
	if code := w.fake.failing["verify.watch"]; code != "" {
		return nil, nil, code
	}
	own := w.fake.find(func(s *ramz.Session) bool { return s.Id == id })
	if own == nil {
		return nil, nil, ramz.ErrorCodeSessionNotFound
	}
	return proto.Clone(own.state).(*ramz.Session), own.changed, ""
}

// refusal is an error as the service writes it: the code is the reason in google.rpc.ErrorInfo, its first field, and the domain its second.
func refusal(code string) error {
	result := connect.NewError(connect.CodeUnknown, errors.New("the fake says so"))
	info := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), code)
	info = protowire.AppendString(protowire.AppendTag(info, 2, protowire.BytesType), "ramz")
	detail, err := connect.NewErrorDetail(&anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.ErrorInfo", Value: info})
	if err != nil {
		panic(err) // It is packed already.
	}
	result.AddDetail(detail)
	return result
}
