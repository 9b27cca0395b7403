package ramz

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"github.com/ramz-verify/ramz/sdks/go/internal/envelope"
	"github.com/ramz-verify/ramz/sdks/go/internal/rpcstatus"
)

// stream calls visit with each message of a stream of the Connect protocol, until visit returns false or the service ends it.
func (a *attempt) stream(ctx context.Context, path string, request []byte, visit func(message []byte) bool) *Error {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, a.core.baseURL+path, bytes.NewReader(envelope.Of(0, request)))
	if err != nil {
		return &Error{Kind: KindConfiguration, Message: err.Error(), Err: err}
	}
	a.core.prepare(post.Header, a.own)
	post.Header.Set("Accept", envelope.ContentType)
	post.Header.Set("Content-Type", envelope.ContentType)
	post.Header.Set("Connect-Protocol-Version", "1")
	response, err := a.core.streams.Do(post)
	if err != nil {
		return noAnswer(ctx, err)
	}
	defer response.Body.Close()
	a.answered(response)
	a.end()
	isStream := strings.HasPrefix(response.Header.Get("Content-Type"), envelope.ContentType)
	if response.StatusCode != http.StatusOK || !isStream {
		return a.core.noStream(ctx, response)
	}
	for {
		flags, message, err := envelope.Read(response.Body, largestAnswer)
		switch {
		case errors.Is(err, envelope.ErrTooLarge):
			return brokenStream(tooLarge)
		case errors.Is(err, envelope.ErrCompressed):
			return brokenStream("a compressed message, which was not asked for")
		case err != nil:
			return noAnswer(ctx, err)
		case flags&envelope.EndOfStream != 0:
			return endOfStream(response.Header, message)
		case !visit(message):
			return nil
		}
	}
}

func brokenStream(message string) *Error {
	return &Error{Kind: KindServer, Status: http.StatusOK, Message: message, Details: map[string]any{}}
}

// noStream is what came in place of one: a proxy's page, or a refusal, as Connect has it or as REST has it.
func (c *core) noStream(ctx context.Context, response *http.Response) *Error {
	body, err := bodyOf(response)
	if err != nil {
		return noAnswer(ctx, err)
	}
	var refused wireError
	if json.Unmarshal([]byte(c.mask(string(body))), &refused) == nil && refused.Code != "" && response.StatusCode >= 400 {
		return refused.failure(c.maskedHeader(response.Header), response.StatusCode)
	}
	return c.refusal(response.StatusCode, response.Header, body)
}

// endOfStream reads the last message; its metadata are trailers.
func endOfStream(header http.Header, message []byte) *Error {
	var end struct {
		Error    *wireError          `json:"error"`
		Metadata map[string][]string `json:"metadata"`
	}
	if err := json.Unmarshal(message, &end); err != nil {
		return brokenStream("a stream that does not end as Connect has it")
	}
	if end.Error == nil {
		return nil
	}
	header = header.Clone()
	for name, values := range end.Metadata {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return end.Error.failure(header, 0)
}

// wireError is an error of Connect.
type wireError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details []struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	} `json:"details"`
}

// failure of a call; response is the HTTP status that the error came with, 0 within a stream.
func (e *wireError) failure(header http.Header, response int) *Error {
	status := rpcstatus.New(header)
	status.Response = response
	for _, detail := range e.Details {
		// Without padding, says the protocol; with it is as good.
		if message, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(detail.Value, "=")); err == nil {
			status.Read(detail.Type, message)
		}
	}
	code := status.HTTPStatus(e.Code)
	message := e.Message
	if message == "" {
		message = e.Code
	}
	return &Error{
		Kind: Kind(codes.KindOf(code, status.Code)), Code: ErrorCode(status.Code), Status: code, Message: message, Field: status.Field,
		RequestID: status.RequestID, RetryAfter: status.RetryAfter, Details: status.Details, hasRetryAfter: status.HasRetryAfter,
	}
}
