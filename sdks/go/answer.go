package ramz

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/ramz-verify/ramz/sdks/go/ramzv1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// code of the contract's shape: others have codes, too.
var codeShape = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// refusal reads an answer that is not a success: the service's where it has a code, else one of somebody on the way.
func (c *core) refusal(status int, header http.Header, body []byte) *Error {
	var answer struct {
		Error map[string]any `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return c.foreign(status, header, body, "")
	}
	code, _ := answer.Error["code"].(string)
	if !codeShape.MatchString(code) {
		return c.foreign(status, header, body, "")
	}
	result := &Error{
		Kind:      kindOf(status, code),
		Code:      code,
		Status:    status,
		Message:   fmt.Sprintf("HTTP %d", status),
		RequestID: header.Get("X-Request-Id"),
		Details:   maps.Clone(answer.Error),
		Header:    c.maskedHeader(header),
	}
	result.RetryAfter, result.hasRetryAfter = retryAfter(header)
	for name, member := range map[string]*string{
		"message": &result.Message, "field": &result.Field, "request_id": &result.RequestID,
	} {
		if text, isText := answer.Error[name].(string); isText {
			*member = text
		}
	}
	for _, name := range []string{"code", "message", "field", "request_id"} {
		delete(result.Details, name)
	}
	return result
}

// retryAfter reads milliseconds, which only some proxies write, or whole seconds. A date is measured by the clock of the
// answer: ours may be another. One that is over says nothing.
func retryAfter(header http.Header) (time.Duration, bool) {
	if milliseconds, err := strconv.ParseUint(header.Get("Retry-After-Ms"), 10, 31); err == nil {
		return time.Duration(milliseconds) * time.Millisecond, true
	}
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	until, err := time.Parse(http.TimeFormat, text)
	now, errNow := time.Parse(http.TimeFormat, header.Get("Date"))
	if err != nil || errNow != nil || until.Before(now) {
		return 0, false
	}
	return until.Sub(now), true
}

// mismatch tells what is wrong with the ids of an answer; empty: nothing. With another id than asked for, it may be somebody
// else's answer.
func mismatch(op *operation, path []string, request, answer proto.Message) string {
	for _, name := range op.ids {
		found, asked := textOf(answer, name), ""
		if request != nil {
			asked = textOf(request, name)
		}
		if index := slices.Index(op.pathFields, name); index >= 0 {
			asked = path[index]
		}
		switch {
		case found == "":
			return name + " is missing"
		case asked != "" && asked != found:
			return "another " + name + " than asked for"
		}
	}
	return ""
}

// mismatchedSession is the same for a message of a stream, and the session in it.
func mismatchedSession(op *operation, path []string, message any) string {
	update, isSession := message.(*ramzv1.WatchSessionResponse)
	if !isSession || update.GetSession() == nil {
		return ""
	}
	return mismatch(op, path, nil, update.GetSession())
}

// textOf a field; empty where the message has none of that name.
func textOf(message proto.Message, name string) string {
	reflected := message.ProtoReflect()
	field := reflected.Descriptor().Fields().ByName(protoreflect.Name(name))
	if field == nil {
		return ""
	}
	return reflected.Get(field).String()
}
