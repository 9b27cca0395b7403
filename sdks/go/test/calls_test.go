package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// settings of a client or of a call, as the vectors write them.
type settings struct {
	TimeoutMs      *int              `json:"timeout_ms"`
	TotalTimeoutMs *int              `json:"total_timeout_ms"`
	MaxRetries     *int              `json:"max_retries"`
	IdempotencyKey string            `json:"idempotency_key"`
	UserAgent      string            `json:"user_agent"`
	Headers        map[string]string `json:"headers"`
}

type attempt struct {
	Attempt    int     `json:"attempt"`
	Status     int     `json:"status"`
	RequestID  string  `json:"request_id"`
	DurationMs float64 `json:"duration_ms"`
}

func ms(count *int) time.Duration { return time.Duration(*count) * time.Millisecond }

func (s settings) ofClient(hook func(ramz.ResponseInfo)) []ramz.Option {
	options := []ramz.Option{ramz.WithOnResponse(hook), ramz.WithHeaders(s.Headers), ramz.WithUserAgent(s.UserAgent)}
	if s.TimeoutMs != nil {
		options = append(options, ramz.WithTimeout(ms(s.TimeoutMs)))
	}
	if s.TotalTimeoutMs != nil {
		options = append(options, ramz.WithTotalTimeout(ms(s.TotalTimeoutMs)))
	}
	if s.MaxRetries != nil {
		options = append(options, ramz.WithMaxRetries(*s.MaxRetries))
	}
	return options
}

func (s settings) ofCall(hook func(ramz.ResponseInfo)) []ramz.CallOption {
	options := []ramz.CallOption{ramz.WithCallOnResponse(hook), ramz.WithCallHeaders(s.Headers)}
	if s.TimeoutMs != nil {
		options = append(options, ramz.WithCallTimeout(ms(s.TimeoutMs)))
	}
	if s.TotalTimeoutMs != nil {
		options = append(options, ramz.WithCallTotalTimeout(ms(s.TotalTimeoutMs)))
	}
	if s.MaxRetries != nil {
		options = append(options, ramz.WithCallMaxRetries(*s.MaxRetries))
	}
	if s.IdempotencyKey != "" {
		options = append(options, ramz.WithIdempotencyKey(s.IdempotencyKey))
	}
	return options
}

type callVector struct {
	Name      string   `json:"name"`
	Operation string   `json:"operation"`
	Client    settings `json:"client"`
	Options   settings `json:"options"`
	Responses []reply  `json:"responses"`
	Expect    struct {
		Calls         int               `json:"calls"`
		TimeoutsMs    [][2]float64      `json:"timeouts_ms"`
		WaitsMs       [][2]float64      `json:"waits_ms"`
		Headers       map[string]string `json:"headers"`
		UserAgentEnds string            `json:"user_agent_ends"`
		Told          []attempt         `json:"told"`
		OK            string            `json:"ok"`
		Error         ramz.Kind         `json:"error"`
		Code          ramz.ErrorCode    `json:"code"`
	} `json:"expect"`
}

// The clock is that of testing/synctest.
func TestCalls(t *testing.T) {
	var file struct {
		Cases []callVector `json:"cases"`
	}
	vectors(t, "calls.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { playCall(t, vector) }) })
	}
}

func playCall(t *testing.T, vector callVector) {
	network := &network{replies: vector.Responses}
	// Both hooks get the same, the client's first.
	var order, seen []attempt
	hook := func(sign int) func(ramz.ResponseInfo) {
		return func(info ramz.ResponseInfo) {
			order = append(order, attempt{Attempt: sign})
			seen = append(seen, attempt{info.Attempt, info.Status, info.RequestID, float64(info.Duration) / float64(time.Millisecond)})
			if info.Operation != vector.Operation || strings.Contains(fmt.Sprintf("%v %+v", info, info), "2135") {
				t.Errorf("%+v", info)
			}
		}
	}
	client, err := ramz.NewClient(append(network.options(), vector.Client.ofClient(hook(1))...)...)
	var answers []any
	if err == nil {
		answers, err = operate(t, client, vector.Operation, argumentsOf[vector.Operation], vector.Options.ofCall(hook(2))...)
	}
	expect := vector.Expect
	if len(network.calls) != expect.Calls || len(expect.WaitsMs) != max(0, expect.Calls-1) {
		t.Fatalf("%d calls, want %d: %v", len(network.calls), expect.Calls, err)
	}
	for index, call := range network.calls {
		if index < len(expect.TimeoutsMs) {
			within(t, "timeout", call.limit, expect.TimeoutsMs[index])
		}
		if index > 0 {
			within(t, "pause", call.begun.Sub(network.calls[index-1].ended), expect.WaitsMs[index-1])
		}
		for name, value := range expect.Headers {
			if got := call.header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %q, want %q", name, got, value)
			}
		}
		if agent := call.header.Get("User-Agent"); !strings.HasPrefix(agent, "ramz-go/") || !strings.HasSuffix(agent, expect.UserAgentEnds) {
			t.Errorf("user agent %q", agent)
		}
	}
	for index := range order {
		if order[index].Attempt != index%2+1 || seen[index] != seen[index-index%2] {
			t.Errorf("the hooks got %v in the order %v", seen, order)
		}
	}
	if len(seen) != 2*expect.Calls {
		t.Errorf("%d reports of %d calls", len(seen), expect.Calls)
	}
	for index, want := range expect.Told {
		if seen[2*index] != want {
			t.Errorf("report %v, want %v", seen[2*index], want)
		}
	}
	if expect.OK != "" {
		if err != nil || at(asMap(t, answers[0]), "id") != expect.OK {
			t.Errorf("%v %v, want %s", answers, err, expect.OK)
		}
		return
	}
	var failure *ramz.Error
	if !errors.As(err, &failure) || failure.Kind != expect.Error || failure.Code != expect.Code {
		t.Errorf("%v, want %s %s", err, expect.Error, expect.Code)
	}
}

var argumentsOf = map[string]json.RawMessage{
	"verify.send": json.RawMessage(`{"to":"+213550000001"}`),
	"verify.get":  json.RawMessage(`{"id":"vrf_1"}`),
}

func within(t *testing.T, what string, got time.Duration, bounds [2]float64) {
	t.Helper()
	if count := float64(got) / float64(time.Millisecond); count < bounds[0] || count > bounds[1] {
		t.Errorf("%s of %v ms, want %v", what, count, bounds)
	}
}

// The headers of a response are for the caller, the key is not.
func TestTheHeadersOfAResponse(t *testing.T) {
	network := &network{replies: []reply{{Status: 200, Body: json.RawMessage(`{"id":"vrf_1"}`), Headers: map[string]string{
		"x-request-id": "req_1", "ratelimit": `"default";r=41;t=30`, "x-echo": exampleKey,
	}}}}
	var got ramz.ResponseInfo
	hook := ramz.WithCallOnResponse(func(info ramz.ResponseInfo) { got = info })
	_, err := network.client(t).Verify.Get(t.Context(), "vrf_1", hook)
	must(t, err)
	want := http.Header{"X-Request-Id": {"req_1"}, "Ratelimit": {`"default";r=41;t=30`}, "X-Echo": {"***"}}
	if !reflect.DeepEqual(got.Header, want) || got.RequestID != "req_1" {
		t.Errorf("%+v", got)
	}
	got.Duration = 131 * time.Millisecond
	if text := got.String(); text != "verify.get, attempt 1: HTTP 200 in 0.131 s (req_1)" {
		t.Error(text)
	}
	if text := (ramz.ResponseInfo{Operation: "verify.send", Attempt: 2, Duration: time.Second}).String(); text != "verify.send, attempt 2: no response in 1.000 s" {
		t.Error(text)
	}
}

// Options that several calls share are not written to.
func TestSharedOptions(t *testing.T) {
	ok := reply{Status: 200, Body: json.RawMessage(`{"id":"vrf_1"}`)}
	network := &network{replies: []reply{ok, ok, ok}}
	client := network.client(t, ramz.WithHeaders(map[string]string{"X-A": "client"}), ramz.WithOnResponse(func(ramz.ResponseInfo) {}))
	for _, own := range []string{"first", "second", ""} {
		options := []ramz.CallOption{}
		if own != "" {
			options = append(options, ramz.WithCallHeaders(map[string]string{"x-a": own}))
		}
		_, err := client.Verify.Get(t.Context(), "vrf_1", options...)
		must(t, err)
	}
	for index, want := range []string{"first", "second", "client"} {
		if got := network.calls[index].header.Get("X-A"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A watch has no total, and reports each connection once.
func TestTheConnectionsOfAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := reply{Fault: "timeout"}
		network := &network{replies: []reply{late, late, late}}
		var seen []string
		client := network.client(t, ramz.WithTotalTimeout(time.Second), ramz.WithOnResponse(func(info ramz.ResponseInfo) {
			seen = append(seen, info.String())
		}))
		for _, err := range client.Verify.Watch(t.Context(), "vrf_1") {
			if !errors.Is(err, ramz.ErrTimeout) {
				t.Error(err)
			}
		}
		if len(seen) != 3 || seen[2] != "verify.watch, attempt 3: no response in 10.000 s" {
			t.Errorf("%q", seen)
		}
	})
}
