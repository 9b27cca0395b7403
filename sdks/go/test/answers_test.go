package test

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

func TestAnswers(t *testing.T) {
	var file struct {
		Cases []struct {
			Name      string            `json:"name"`
			Operation string            `json:"operation"`
			Arguments json.RawMessage   `json:"arguments"`
			Body      json.RawMessage   `json:"body"`
			Pages     []json.RawMessage `json:"pages"`
			Expect    map[string]any    `json:"expect"`
		} `json:"cases"`
	}
	vectors(t, "answers.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) {
			network := &network{}
			for _, page := range append(vector.Pages, vector.Body) {
				network.replies = append(network.replies, reply{Status: 200, Body: page})
			}
			arguments := vector.Arguments
			if arguments == nil {
				arguments = argumentsFor(vector.Operation)
			}
			answers, err := operate(t, network.client(t), vector.Operation, arguments)
			if kind, isError := vector.Expect["error"]; isError {
				var failure *ramz.Error
				if !errors.As(err, &failure) || string(failure.Kind) != kind || !strings.HasPrefix(failure.Message, vector.Expect["message"].(string)) {
					t.Errorf("%v, want %s: %s", err, kind, vector.Expect["message"])
				}
				if len(network.calls) != 1 || failure.Body != "" {
					t.Errorf("%d calls; the body may hold secrets: %q", len(network.calls), failure.Body)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if vector.Pages != nil {
				expectPages(t, network, answers, vector.Expect)
				return
			}
			seen := asMap(t, answers[0])
			for path, want := range vector.Expect {
				if got := at(seen, path); !reflect.DeepEqual(got, want) {
					t.Errorf("%s is %v, want %v", path, got, want)
				}
			}
		})
	}
}

// argumentsFor fills what stands in the path: without, there is no call.
func argumentsFor(operation string) json.RawMessage {
	if strings.HasSuffix(operation, ".get") {
		return json.RawMessage(`{"id":"vrf_1"}`)
	}
	return nil
}

func expectPages(t *testing.T, network *network, answers []any, expect map[string]any) {
	t.Helper()
	ids, tokens := []any{}, []any{}
	for _, answer := range answers {
		ids = append(ids, asMap(t, answer)["id"])
	}
	for _, call := range network.calls {
		target, err := url.Parse(call.target)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, target.Query().Get("page_token"))
	}
	if !reflect.DeepEqual(ids, expect["ids"]) || !reflect.DeepEqual(tokens, expect["page_tokens"]) {
		t.Errorf("%v by %v, want %v", ids, tokens, expect)
	}
}

func at(value any, path string) any {
	for _, part := range strings.Split(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[part]
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index >= len(inner) {
				return nil
			}
			value = inner[index]
		default:
			return nil
		}
	}
	return value
}

func TestErrors(t *testing.T) {
	var file struct {
		Cases []struct {
			reply
			Name   string `json:"name"`
			Expect struct {
				Kind              ramz.Kind         `json:"kind"`
				Code              ramz.ErrorCode    `json:"code"`
				Message           string            `json:"message"`
				Field             string            `json:"field"`
				RequestID         string            `json:"request_id"`
				RetryAfterSeconds float64           `json:"retry_after_seconds"`
				Details           map[string]any    `json:"details"`
				Headers           map[string]string `json:"headers"`
				Body              string            `json:"body"`
			} `json:"expect"`
		} `json:"cases"`
	}
	vectors(t, "errors.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) {
			network := &network{replies: []reply{vector.reply}}
			client := network.client(t, ramz.WithMaxRetries(0))
			answer, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: "+213550000001"})
			if answer != nil {
				t.Errorf("an answer beside the error: %v", answer)
			}
			var failure *ramz.Error
			if !errors.As(err, &failure) {
				t.Fatalf("%T: %v", err, err)
			}
			expect := vector.Expect
			if failure.Kind != expect.Kind || failure.Code != expect.Code || failure.Message != expect.Message {
				t.Errorf("%s %s %q, want %s %s %q", failure.Kind, failure.Code, failure.Message, expect.Kind, expect.Code, expect.Message)
			}
			if failure.Field != expect.Field || failure.RequestID != expect.RequestID || failure.Status != vector.Status {
				t.Errorf("field %q, request %q, status %d", failure.Field, failure.RequestID, failure.Status)
			}
			if failure.RetryAfter.Seconds() != expect.RetryAfterSeconds {
				t.Errorf("retry after %s", failure.RetryAfter)
			}
			for name, value := range expect.Headers {
				if got := failure.Header.Get(name); got != value {
					t.Errorf("%s: %q, want %q", name, got, value)
				}
			}
			if failure.Body != expect.Body {
				t.Errorf("body %q", failure.Body)
			}
			if !reflect.DeepEqual(failure.Details, expect.Details) {
				t.Errorf("details %v, want %v", failure.Details, expect.Details)
			}
			if !errors.Is(err, sentinels[expect.Kind]) || !errors.Is(err, ramz.ErrAPI) || ramz.CodeOf(err) != expect.Code {
				t.Errorf("%v is not found by its kind and code", err)
			}
		})
	}
}

var sentinels = map[ramz.Kind]error{
	ramz.KindInvalidRequest: ramz.ErrInvalidRequest, ramz.KindAuthentication: ramz.ErrAuthentication,
	ramz.KindPermissionDenied: ramz.ErrPermissionDenied, ramz.KindNotFound: ramz.ErrNotFound,
	ramz.KindConflict: ramz.ErrConflict, ramz.KindRateLimit: ramz.ErrRateLimit, ramz.KindServer: ramz.ErrServer,
	ramz.KindNetwork: ramz.ErrNetwork, ramz.KindTimeout: ramz.ErrTimeout,
}
