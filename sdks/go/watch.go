package ramz

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"
)

// watch follows a stream to its end. A stream that breaks is opened again, as often in a row as a call is repeated; the
// service then begins with how things stand, of which only what is new is told.
func watch[Answer, Request any](ctx context.Context, c *core, op *operation, path []string, request *Request, options []CallOption) iter.Seq2[*Answer, error] {
	return func(yield func(*Answer, error) bool) {
		own, failure := c.settingsFor(op, options)
		if failure == nil {
			_, failure = fillPath(op, path)
		}
		seen := new(told)
		for repeats := 0; failure == nil; {
			var hasAnswered, isLeft bool
			hasAnswered, isLeft, failure = follow(ctx, c, op, path, request, own.timeout, seen, yield)
			if isLeft || failure == nil {
				return
			}
			failure.Operation = op.name
			if hasAnswered {
				repeats = 0
			}
			repeats++
			if repeats <= own.maxRetries && mayRepeat(op, failure) && pause(ctx, repeats, failure) {
				failure = nil
			}
		}
		yield(nil, failure)
	}
}

// follow one stream. isLeft: the caller has left the loop. No failure: the service ended the stream.
func follow[Answer, Request any](ctx context.Context, c *core, op *operation, path []string, request *Request, timeout time.Duration, seen *told, yield func(*Answer, error) bool) (hasAnswered, isLeft bool, failure *Error) {
	streamCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Only the first answer is awaited; then the phone takes its time.
	timer := time.AfterFunc(timeout, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	client := connect.NewClient[Request, Answer](refuser{c}, c.baseURL+op.path, connect.WithReadMaxBytes(largestAnswer))
	stream, err := client.CallServerStream(streamCtx, connect.NewRequest(request))
	if err == nil {
		defer stream.Close()
		for stream.Receive() {
			timer.Stop()
			hasAnswered = true
			if problem := mismatchedSession(op, path, stream.Msg()); problem != "" {
				return hasAnswered, false, c.foreign(http.StatusOK, nil, nil, problem)
			}
			if !seen.isNews(stream.Msg()) {
				continue
			}
			if !yield(stream.Msg(), nil) {
				return hasAnswered, true, nil
			}
		}
		err = stream.Err()
	}
	switch {
	case err == nil:
		return hasAnswered, false, nil
	case ctx.Err() == nil && errors.Is(context.Cause(streamCtx), context.DeadlineExceeded):
		return hasAnswered, false, noAnswer(ctx, context.DeadlineExceeded)
	}
	return hasAnswered, false, streamFailure(ctx, err)
}

func streamFailure(ctx context.Context, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var wire *connect.Error
	if ctx.Err() == nil && errors.As(err, &wire) {
		switch {
		case connect.IsWireError(err):
			return fromWire(wire)
		case wire.Code() == connect.CodeResourceExhausted: // It says so of what exceeds its limit.
			return &Error{Kind: KindServer, Status: http.StatusOK, Message: tooLarge, Details: map[string]any{}, cause: err}
		}
	}
	return noAnswer(ctx, err)
}

// refuser makes the requests of streams. What is no stream is a proxy's page, or a refusal as REST has it.
type refuser struct{ core *core }

func (r refuser) Do(request *http.Request) (*http.Response, error) {
	r.core.authorise(request.Header)
	request.Header.Set("User-Agent", userAgent)
	response, err := r.core.stream.Do(request)
	isStream := err == nil && response.StatusCode == http.StatusOK &&
		strings.HasPrefix(response.Header.Get("Content-Type"), "application/connect+")
	if err != nil || isStream {
		return response, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer))
	if err != nil {
		return nil, err
	}
	return nil, r.core.refusal(response.StatusCode, response.Header, body)
}
