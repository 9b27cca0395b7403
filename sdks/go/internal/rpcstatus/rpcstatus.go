// Package rpcstatus reads the errors of gRPC and Connect: their words, and the details that the service sends with them, which
// are messages of google.rpc. These are read field by field, because their Go types would bring protobuf along.
package rpcstatus

import (
	"net/http"
	"strconv"
	"time"

	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"github.com/ramz-verify/ramz/sdks/go/internal/retryafter"
)

// domain of the service's reasons. Something on the way may have reasons of its own.
const domain = "ramz"

// Status is what an error's headers and details say of it.
type Status struct {
	Code, Field, RequestID string
	RetryAfter             time.Duration
	HasRetryAfter          bool
	Details                map[string]any
	Response               int // HTTP status that the error came with, 0 where it came with none.
}

// New reads the headers, or the metadata, of the response.
func New(header http.Header) *Status {
	status := &Status{RequestID: header.Get("X-Request-Id"), Details: map[string]any{}}
	status.RetryAfter, status.HasRetryAfter = retryafter.Read(header)
	return status
}

// Read one detail. What is not known, or can't be read, says nothing.
func (s *Status) Read(name string, message []byte) {
	switch name {
	case "google.rpc.ErrorInfo":
		if last(message, 2) != domain {
			return
		}
		s.Code = last(message, 1)
		eachField(message, func(number uint64, entry []byte) {
			if number == 3 {
				s.Details[last(entry, 1)] = last(entry, 2)
			}
		})
	case "google.rpc.RequestInfo":
		s.RequestID = last(message, 1)
	case "google.rpc.BadRequest":
		eachField(message, func(number uint64, violation []byte) {
			if number == 1 && s.Field == "" {
				s.Field = last(violation, 1)
			}
		})
	case "google.rpc.RetryInfo":
		eachField(message, func(number uint64, delay []byte) {
			seconds, err := strconv.ParseUint(last(delay, 1), 10, 31)
			if number == 1 && err == nil {
				s.RetryAfter, s.HasRetryAfter = time.Duration(seconds)*time.Second, true
			}
		})
	}
}

// HTTPStatus that the same error has over REST. word is the status of gRPC or Connect, such as not_found.
func (s *Status) HTTPStatus(word string) int {
	if rules, isKnown := codes.RulesOf(s.Code); isKnown {
		return rules.Status
	}
	if s.Response != 0 {
		return s.Response
	}
	if status, isKnown := statuses[word]; isKnown {
		return status
	}
	return http.StatusInternalServerError
}

var statuses = map[string]int{
	"invalid_argument":    http.StatusBadRequest,
	"failed_precondition": http.StatusBadRequest,
	"out_of_range":        http.StatusBadRequest,
	"unauthenticated":     http.StatusUnauthorized,
	"permission_denied":   http.StatusForbidden,
	"not_found":           http.StatusNotFound,
	"already_exists":      http.StatusConflict,
	"aborted":             http.StatusConflict,
	"resource_exhausted":  http.StatusTooManyRequests,
	"unavailable":         http.StatusServiceUnavailable,
	"deadline_exceeded":   http.StatusGatewayTimeout,
	"unimplemented":       http.StatusNotImplemented,
}
