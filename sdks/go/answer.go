package ramz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"github.com/ramz-verify/ramz/sdks/go/internal/fields"
	"github.com/ramz-verify/ramz/sdks/go/internal/retryafter"
)

// code of the contract's shape: others have codes, too.
var codeShape = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// refusal reads an answer that is not a success: the service's where it has a code, otherwise it is a proxy's.
func (c *core) refusal(status int, header http.Header, body []byte) *Error {
	var answer struct {
		Error map[string]any `json:"error"`
	}
	// Whoever refuses in the service's place may repeat what it was sent.
	if json.Unmarshal([]byte(c.mask(string(body))), &answer) != nil {
		return c.foreign(status, header, body, "")
	}
	code, _ := answer.Error["code"].(string)
	if !codeShape.MatchString(code) {
		return c.foreign(status, header, body, "")
	}
	result := &Error{
		Kind:      Kind(codes.KindOf(status, code)),
		Code:      ErrorCode(code),
		Status:    status,
		Message:   fmt.Sprintf("HTTP %d", status),
		RequestID: c.mask(header.Get("X-Request-Id")),
		Details:   maps.Clone(answer.Error),
		Header:    c.maskedHeader(header),
	}
	result.RetryAfter, result.hasRetryAfter = retryafter.Read(header)
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

// read an answer of success. problem tells what is wrong with one that is JSON.
func read(op *operation, path []string, request any, body []byte, answer any) (problem string, isJSON bool) {
	if !isObject(body) {
		return "", false
	}
	if err := unmarshal(body, answer); err != nil {
		return misread(err), json.Valid(body)
	}
	return mismatch(op, path, request, answer), true
}

// unmarshal is [json.Unmarshal] that takes 4.0 for 4: JSON has one kind of number, and some proxies write all of them so.
func unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && strings.HasPrefix(typed.Value, "number") {
		return json.Unmarshal(wholeNumbers(text), into)
	}
	return err
}

// A text, which stays as it is, or a number with a fraction or an exponent.
var textOrNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)

// wholeNumbers writes those numbers of a JSON text without a fraction that have none in fact.
func wholeNumbers(text []byte) []byte {
	return textOrNumber.ReplaceAllFunc(text, func(found []byte) []byte {
		number, err := strconv.ParseFloat(string(found), 64)
		if err != nil || number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
			return found
		}
		return strconv.AppendInt(nil, int64(number), 10)
	})
}

// isObject tells whether the text begins as one. Unmarshal would take null for an empty one.
func isObject(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// misread says what is wrong with a field, without what is in it.
func misread(err error) string {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		return fmt.Sprintf("%s is not of the type %s", typed.Field, typed.Type.Kind())
	}
	var instant *time.ParseError
	if errors.As(err, &instant) {
		return "a time is not as RFC 3339 has it"
	}
	return "a field is of another type"
}

// mismatch tells what is wrong with the ids of an answer; empty: nothing. With another id than asked for, it may belong to
// another caller.
func mismatch(op *operation, path []string, request, answer any) string {
	for _, name := range op.ids {
		found, asked := fields.Text(answer, name), fields.Text(request, name)
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
