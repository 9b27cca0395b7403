package ramz

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// No answer of the service comes near it, after decompression; what does is not one.
const largestAnswer = 16 << 20

const tooLarge = "larger than any answer of Ramz"

// core is what all resources share.
type core struct {
	baseURL   string
	userAgent string
	authorise func(http.Header)
	mask      func(string) string // Cuts the key out.
	defaults  callSettings
	unary     *http.Client
	streams   *http.Client
}

// call makes a unary call, with its repeats.
func call[Answer any](ctx context.Context, c *core, op *operation, path []string, request any, options []CallOption) (*Answer, error) {
	answer := new(Answer)
	if failure := c.do(ctx, op, path, request, answer, options); failure != nil {
		return nil, failure
	}
	return answer, nil
}

// run is a call whose answer says nothing but that it is done.
func run(ctx context.Context, c *core, op *operation, path []string, request any, options []CallOption) error {
	if failure := c.do(ctx, op, path, request, new(struct{}), options); failure != nil {
		return failure
	}
	return nil
}

// do fills answer, which is a pointer to a struct.
func (c *core) do(ctx context.Context, op *operation, path []string, request, answer any, options []CallOption) *Error {
	own, failure := c.settingsFor(op, options)
	if failure != nil {
		return failure
	}
	message, failure := encode(op, path, request)
	if failure != nil {
		return failure
	}
	_, saysNothing := answer.(*struct{})
	isDeletion, isInDoubt := saysNothing && op.method == http.MethodDelete, false
	end := time.Now().Add(own.totalTimeout)
	for number := 1; ; number++ {
		try := c.begin(op, number, own)
		failure := try.send(ctx, message, end)
		if failure == nil {
			failure = try.read(op, path, request, answer)
		}
		try.end()
		if failure == nil {
			return nil
		}
		if isDeletion && isInDoubt && isGone(failure) {
			return nil // An attempt whose response was lost has done it.
		}
		isInDoubt = isInDoubt || mayBeDone(failure)
		failure.Operation = op.name
		if number > own.maxRetries || !mayRepeat(op, failure) {
			return failure
		}
		if failure = pause(ctx, end, number, failure); failure != nil {
			return failure
		}
	}
}

func newKey() string {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		panic(err) // Go promises that it does not happen.
	}
	return hex.EncodeToString(key[:])
}

// send makes the request, and takes the whole response. No attempt goes on after end.
func (a *attempt) send(ctx context.Context, message wire, end time.Time) *Error {
	own, cancel := context.WithTimeout(ctx, min(a.own.timeout, time.Until(end)))
	defer cancel()
	request, err := http.NewRequestWithContext(own, message.method, a.core.baseURL+message.target, bytes.NewReader(message.body))
	if err != nil {
		return &Error{Kind: KindConfiguration, Message: err.Error(), Err: err}
	}
	a.core.prepare(request.Header, a.own)
	request.Header.Set("Accept", "application/json")
	if message.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if a.own.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", a.own.idempotencyKey)
	}
	response, err := a.core.unary.Do(request)
	if err != nil {
		return noAnswer(ctx, err)
	}
	defer response.Body.Close()
	a.answered(response)
	a.body, err = bodyOf(response)
	if err != nil {
		return noAnswer(ctx, err)
	}
	return nil
}

// bodyOf takes a byte more than an answer may have. What follows a 101 is another protocol, and no context ends its reading.
func bodyOf(response *http.Response) ([]byte, error) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
}

// read the response into answer.
func (a *attempt) read(op *operation, path []string, request, answer any) *Error {
	if len(a.body) > largestAnswer {
		failure := a.core.foreign(a.status, a.header, nil, "")
		failure.Message = tooLarge
		return failure
	}
	if a.status < 200 || a.status > 299 {
		return a.core.refusal(a.status, a.header, a.body)
	}
	// An attempt that was cut off leaves nothing behind.
	reflect.ValueOf(answer).Elem().SetZero()
	switch problem, isJSON := read(op, path, request, a.body, answer); {
	case !isJSON:
		return a.core.foreign(a.status, a.header, a.body, "")
	case problem != "":
		return a.core.foreign(a.status, a.header, nil, problem)
	}
	return nil
}

// noAnswer tells apart who lost patience: the caller, this module, or the network.
func noAnswer(ctx context.Context, err error) *Error {
	var late net.Error
	isLate := errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &late) && late.Timeout())
	err = withoutAddress(err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return &Error{Kind: KindCanceled, Message: "the caller's context was canceled", Err: ctx.Err()}
	case ctx.Err() != nil:
		return &Error{Kind: KindTimeout, Message: "the caller's context has ended", Err: ctx.Err()}
	case isLate:
		return &Error{Kind: KindTimeout, Message: "no response in time", Err: err}
	}
	message := err.Error()
	if kept, isCut := withoutAnswer(message); isCut {
		return &Error{Kind: KindNetwork, Message: kept, Err: errors.New(kept)}
	}
	return &Error{Kind: KindNetwork, Message: message, Err: err}
}

// withoutAddress is what lies behind the errors that show the address of a call: that of a list or an erasure holds a phone number.
func withoutAddress(err error) error {
	var asked *url.Error
	for errors.As(err, &asked) {
		err = asked.Err
	}
	return err
}

// withoutAnswer cuts off what Go's parser could not read, and shows: it may be part of an answer, with numbers and secrets.
func withoutAnswer(message string) (kept string, isCut bool) {
	start := strings.Index(message, "malformed ")
	if start < 0 {
		return message, false
	}
	kept = message
	if end := strings.IndexAny(message[start:], `":`); end >= 0 {
		kept = strings.TrimSpace(message[:start+end])
	}
	return kept, true
}
