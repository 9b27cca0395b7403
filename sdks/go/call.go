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
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// No answer of the service comes near it, after decompression; what does is somebody else's.
const largestAnswer = 16 << 20

const tooLarge = "larger than any answer of Ramz"

// core is what all resources share.
type core struct {
	baseURL    string
	authorise  func(http.Header)
	mask       func(string) string // Cuts the key out.
	timeout    time.Duration
	maxRetries int
	unary      *http.Client
	stream     *http.Client
}

// call makes a unary call, with its retries, and fills answer.
func call[T proto.Message](ctx context.Context, c *core, op *operation, path []string, request proto.Message, answer T, options []CallOption) (T, error) {
	var none T
	if failure := c.do(ctx, op, path, request, answer, options); failure != nil {
		return none, failure
	}
	return answer, nil
}

func (c *core) do(ctx context.Context, op *operation, path []string, request, answer proto.Message, options []CallOption) *Error {
	own, failure := c.settingsFor(op, options)
	if failure != nil {
		return failure
	}
	message, failure := encode(op, path, request)
	if failure != nil {
		return failure
	}
	for repeats := 0; ; repeats++ {
		failure := c.try(ctx, op, message, path, request, answer, own)
		if failure == nil {
			return nil
		}
		failure.Operation = op.name
		if repeats >= own.maxRetries || !mayRepeat(op, failure) || !pause(ctx, repeats+1, failure) {
			return failure
		}
	}
}

// settingsFor this call, its idempotency key included: made once, it outlives every retry.
func (c *core) settingsFor(op *operation, options []CallOption) (callSettings, *Error) {
	own := callSettings{timeout: c.timeout, maxRetries: c.maxRetries}
	for _, option := range options {
		option(&own)
	}
	var problem string
	switch key := own.idempotencyKey; {
	case own.timeout <= 0:
		problem = "the timeout must be positive"
	case own.maxRetries < 0:
		problem = "the number of retries can't be negative"
	case key != "" && !op.idempotencyKey:
		problem = "this operation takes no idempotency key"
	case len(key) > 256 || !isToken(strings.ReplaceAll(key, " ", "_")) || strings.Trim(key, " ") != key:
		// HTTP cuts spaces off the ends of a header: it would be another key.
		problem = "an idempotency key has at most 256 printable characters of ASCII, and no space at either end"
	}
	if problem != "" {
		return own, &Error{Kind: KindConfiguration, Operation: op.name, Message: problem}
	}
	if own.idempotencyKey == "" && op.idempotencyKey {
		own.idempotencyKey = newKey()
	}
	return own, nil
}

func newKey() string {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		panic(err) // Go promises that it does not happen.
	}
	return hex.EncodeToString(key[:])
}

// try makes one request and reads its answer.
func (c *core) try(ctx context.Context, op *operation, message wire, path []string, asked, answer proto.Message, own callSettings) *Error {
	tryCtx, cancel := context.WithTimeout(ctx, own.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(tryCtx, op.method, c.baseURL+message.target, bytes.NewReader(message.body))
	if err != nil {
		return &Error{Kind: KindConfiguration, Message: err.Error(), cause: err}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", userAgent)
	c.authorise(request.Header)
	if message.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if own.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", own.idempotencyKey)
	}
	response, err := c.unary.Do(request)
	if err != nil {
		return noAnswer(ctx, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	if err != nil {
		return noAnswer(ctx, err)
	}
	if len(body) > largestAnswer {
		failure := c.foreign(response.StatusCode, response.Header, nil, "")
		failure.Message = tooLarge
		return failure
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return c.refusal(response.StatusCode, response.Header, body)
	}
	// A try that was cut off leaves nothing behind: Unmarshal resets the message first.
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(body, answer); err != nil {
		return c.unread(response.StatusCode, response.Header, body, err)
	}
	if problem := mismatch(op, path, asked, answer); problem != "" {
		proto.Reset(answer)
		return c.foreign(response.StatusCode, response.Header, nil, problem)
	}
	return nil
}

// noAnswer tells apart who lost patience: the caller, this module, or the network.
func noAnswer(ctx context.Context, err error) *Error {
	var late net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return &Error{Kind: KindCanceled, Message: "the caller's context was canceled", cause: ctx.Err()}
	case ctx.Err() != nil:
		return &Error{Kind: KindTimeout, Message: "the caller's context has ended", cause: ctx.Err()}
	case errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &late) && late.Timeout()):
		return &Error{Kind: KindTimeout, Message: "no answer in time", cause: err}
	}
	message := err.Error()
	// Its own text begins with the whole address, and a list's may hold a phone number.
	var asked *url.Error
	if errors.As(err, &asked) {
		message = asked.Err.Error()
	}
	return &Error{Kind: KindNetwork, Message: message, cause: err}
}
