package ramz

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// refusal reads an answer that is not a success.
func refusal(status int, header http.Header, body []byte) *Error {
	result := &Error{
		Kind:      kindOf(status),
		Status:    status,
		Message:   fmt.Sprintf("HTTP %d", status),
		RequestID: header.Get("X-Request-Id"),
		Details:   map[string]any{},
	}
	result.RetryAfter, result.hasRetryAfter = retryAfter(header)
	var answer struct {
		Error map[string]any `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error == nil {
		return result
	}
	code, isText := answer.Error["code"].(string)
	if !isText || code == "" {
		return result
	}
	result.Code = code
	for name, member := range map[string]*string{
		"message": &result.Message, "field": &result.Field, "request_id": &result.RequestID,
	} {
		if text, isText := answer.Error[name].(string); isText {
			*member = text
		}
	}
	result.Details = maps.Clone(answer.Error)
	for _, name := range []string{"code", "message", "field", "request_id"} {
		delete(result.Details, name)
	}
	return result
}

// retryAfter reads whole seconds. The header's other form, a date, is not the service's.
func retryAfter(header http.Header) (time.Duration, bool) {
	seconds, err := strconv.ParseUint(header.Get("Retry-After"), 10, 31)
	return time.Duration(seconds) * time.Second, err == nil
}
