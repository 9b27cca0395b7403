package ramz

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Kind is the class of an [Error].
type Kind string

// Kinds of errors, and the sentinel that [errors.Is] finds each by.
const (
	KindConfiguration    Kind = "configuration"     // ErrConfiguration
	KindInvalidRequest   Kind = "invalid_request"   // ErrInvalidRequest
	KindAuthentication   Kind = "authentication"    // ErrAuthentication
	KindPermissionDenied Kind = "permission_denied" // ErrPermissionDenied
	KindNotFound         Kind = "not_found"         // ErrNotFound
	KindConflict         Kind = "conflict"          // ErrConflict
	KindRateLimit        Kind = "rate_limit"        // ErrRateLimit
	KindServer           Kind = "server"            // ErrServer
	KindNetwork          Kind = "network"           // ErrNetwork
	KindTimeout          Kind = "timeout"           // ErrTimeout, ErrNetwork
	KindCanceled         Kind = "canceled"          // context.Canceled
)

var (
	// ErrConfiguration: no key, no address, a malformed option or argument; Field tells where. Nothing was sent.
	ErrConfiguration = errors.New("ramz: configuration")
	// ErrAPI: the service answered, and refused. So do all that follow, down to ErrServer.
	ErrAPI = errors.New("ramz: refused")
	// ErrInvalidRequest: 400 and other 4xx; Field tells where.
	ErrInvalidRequest = errors.New("ramz: invalid request")
	// ErrAuthentication: 401, the key is missing, unknown, revoked or expired.
	ErrAuthentication = errors.New("ramz: authentication")
	// ErrPermissionDenied: 403.
	ErrPermissionDenied = errors.New("ramz: permission denied")
	// ErrNotFound: 404.
	ErrNotFound = errors.New("ramz: not found")
	// ErrConflict: 409.
	ErrConflict = errors.New("ramz: conflict")
	// ErrRateLimit: 429; RetryAfter tells when to come back.
	ErrRateLimit = errors.New("ramz: rate limit")
	// ErrServer: 5xx, and what is not an answer of Ramz, whatever its status: a proxy's page, a redirect. Code is empty
	// then; see Header and Body.
	ErrServer = errors.New("ramz: server")
	// ErrNetwork: there was no answer. What the call should do may have been done.
	ErrNetwork = errors.New("ramz: network")
	// ErrTimeout: there was no answer in time; an ErrNetwork, too.
	ErrTimeout = errors.New("ramz: timeout")
)

var sentinels = map[Kind][]error{
	KindConfiguration:    {ErrConfiguration},
	KindInvalidRequest:   {ErrInvalidRequest, ErrAPI},
	KindAuthentication:   {ErrAuthentication, ErrAPI},
	KindPermissionDenied: {ErrPermissionDenied, ErrAPI},
	KindNotFound:         {ErrNotFound, ErrAPI},
	KindConflict:         {ErrConflict, ErrAPI},
	KindRateLimit:        {ErrRateLimit, ErrAPI},
	KindServer:           {ErrServer, ErrAPI},
	KindNetwork:          {ErrNetwork},
	KindTimeout:          {ErrTimeout, ErrNetwork},
}

// Error is why a call has no answer. No field of it holds the API key.
type Error struct {
	Kind Kind
	// Operation that failed, such as verify.send; empty where none was called.
	Operation string
	// Code is one of the constants of [ErrorCode], or one that this module does not know yet; empty where the answer is not
	// one of Ramz.
	Code ErrorCode
	// Message is for people who read logs, in English.
	Message string
	// Field at fault, by its path in the request, such as cascade[0].timeout_seconds.
	Field string
	// RequestID finds the call in the service's logs.
	RequestID string
	// Status of HTTP; 0 where there was no answer.
	Status int
	// RetryAfter tells how long to wait; 0 where the answer says nothing of it.
	RetryAfter time.Duration
	// Details are the members of the error beside those above, such as session_id and resend_after.
	Details map[string]any
	// Header of the answer, without the API key, even where something sent it back. Empty in a stream.
	Header http.Header
	// Body is the first 1,024 characters of an answer that is not one of Ramz; else empty.
	Body string
	// Err is what lies behind it: the network's error, without the address that was called, or the context's.
	Err error

	hasRetryAfter bool
}

// Error is one line for a log.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("ramz: ")
	for _, part := range []string{e.Operation, string(e.Code)} {
		if part != "" {
			text.WriteString(part + ": ")
		}
	}
	text.WriteString(e.Message)
	var about []string
	if e.Field != "" {
		about = append(about, "field "+e.Field)
	}
	if e.Status != 0 && e.Code != "" {
		about = append(about, fmt.Sprintf("HTTP %d", e.Status))
	}
	if e.RequestID != "" {
		about = append(about, e.RequestID)
	}
	if len(about) > 0 {
		text.WriteString(" (" + strings.Join(about, ", ") + ")")
	}
	if cause := e.causeText(); !strings.Contains(text.String(), cause) {
		text.WriteString(": " + cause)
	}
	return text.String()
}

// causeText leaves out the address, which may hold a phone number; and what the service itself said, which is the message.
func (e *Error) causeText() string {
	var asked *url.Error
	switch {
	case e.Err == nil || e.Code != "":
		return ""
	case errors.As(e.Err, &asked):
		return asked.Err.Error()
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is tells whether the error is of the kind that target, one of the Err variables, stands for.
func (e *Error) Is(target error) bool {
	for _, sentinel := range sentinels[e.Kind] {
		if sentinel == target {
			return true
		}
	}
	return false
}

// CodeOf is the code of an error of a call, however deep it is wrapped; else empty.
//
//	switch ramz.CodeOf(err) { case ramz.ErrorCodeResendTooSoon: … }
func CodeOf(err error) ErrorCode {
	var own *Error
	if errors.As(err, &own) {
		return own.Code
	}
	return ""
}

func misconfigured(message string) *Error {
	return &Error{Kind: KindConfiguration, Message: message}
}
