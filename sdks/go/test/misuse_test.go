package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

func TestOptions(t *testing.T) {
	good := []ramz.Option{ramz.WithAPIKey(exampleKey), ramz.WithBaseURL("https://verify.example")}
	for name, option := range map[string]ramz.Option{
		"no key":              ramz.WithAPIKey(""),
		"key with a line end": ramz.WithAPIKey(exampleKey + "\n"),
		"key with a space":    ramz.WithAPIKey(exampleKey + " "),
		"key in quotes":       ramz.WithAPIKey("« key »"),
		"no address":          ramz.WithBaseURL(""),
		"address by name":     ramz.WithBaseURL("verify.example"),
		"address of a file":   ramz.WithBaseURL("file:///etc"),
		"address with query":  ramz.WithBaseURL("https://verify.example?x=1"),
		"address with user":   ramz.WithBaseURL("https://me:secret@verify.example"),
		"address of nobody":   ramz.WithBaseURL("https://ver ify"),
		"timeout of nothing":  ramz.WithTimeout(0),
		"retries below zero":  ramz.WithMaxRetries(-1),
		"client of nothing":   ramz.WithHTTPClient(nil),
		"hook of nothing":     ramz.WithOnResponse(nil),
		"total of nothing":    ramz.WithTotalTimeout(0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(ramz.EnvAPIKey, "")
			t.Setenv(ramz.EnvBaseURL, "")
			client, err := ramz.NewClient(append(good[:2:2], option)...)
			if client != nil || !errors.Is(err, ramz.ErrConfiguration) || errors.Is(err, ramz.ErrAPI) {
				t.Fatalf("%v %v", client, err)
			}
			if strings.Contains(err.Error(), exampleKey) || strings.Contains(err.Error(), "secret") {
				t.Errorf("the error gives a secret away: %v", err)
			}
		})
	}
}

func TestOptionsFromEnvironment(t *testing.T) {
	network := &network{replies: []reply{{Status: 200, Body: json.RawMessage(`{"id":"whe_1"}`)}}}
	t.Setenv(ramz.EnvAPIKey, "ramz_test_from_environment")
	t.Setenv(ramz.EnvBaseURL, "https://verify.example/otp//")
	client, err := ramz.NewClient(ramz.WithHTTPClient(&http.Client{Transport: network}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Accounts.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if call := network.calls[0]; call.target != "/otp/v1/account" || call.header.Get("Authorization") != "Bearer ramz_test_from_environment" {
		t.Errorf("%s %v", call.target, call.header)
	}
}

func TestTheKeyIsNotPrinted(t *testing.T) {
	network := &network{}
	client := network.client(t, ramz.WithMaxRetries(0))
	_, err := client.Verify.Get(t.Context(), "vrf_1")
	for _, value := range []any{client, *client, client.Verify, *client.Verify, err} {
		for _, format := range []string{"%v", "%+v", "%#v"} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, exampleKey) {
				t.Errorf("%s shows the key: %s", format, text)
			}
		}
	}
}

func TestIDsThatAreNone(t *testing.T) {
	network := &network{}
	client := network.client(t)
	for _, id := range []string{"", ".", ".."} {
		_, err := client.Verify.Get(t.Context(), id)
		expectField(t, err, "id")
		_, err = client.WebhookEndpoints.Redeliver(t.Context(), "whe_1", id)
		expectField(t, err, "event_id")
		for _, err := range client.Verify.Watch(t.Context(), id) {
			expectField(t, err, "id")
		}
	}
	if len(network.calls) != 0 {
		t.Errorf("%v", network.calls)
	}
}

func expectField(t *testing.T, err error, field string) {
	t.Helper()
	var failure *ramz.Error
	if !errors.As(err, &failure) || failure.Field != field || errors.Is(err, ramz.ErrConfiguration) == (failure.Status != 0) || errors.Is(err, ramz.ErrAPI) != (failure.Status != 0) {
		t.Errorf("%v, want a refusal of %s", err, field)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	network := &network{replies: []reply{{Status: 200, Body: json.RawMessage(`{"id":"whe_1"}`)}}}
	client := network.client(t)
	request := &ramz.SendRequest{To: "+213550000001"}
	if _, err := client.Verify.Send(t.Context(), request, ramz.WithIdempotencyKey("order 1042")); err != nil {
		t.Fatal(err)
	}
	if got := network.calls[0].header.Get("Idempotency-Key"); got != "order 1042" {
		t.Errorf("sent %q", got)
	}
	for _, key := range []string{"", "two\nlines", "one\r\nX-Evil: 1", " a", "a ", "طلب", strings.Repeat("k", 257)} {
		if _, err := client.Verify.Send(t.Context(), request, ramz.WithIdempotencyKey(key)); !errors.Is(err, ramz.ErrConfiguration) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if len(network.calls) != 1 {
		t.Error("it was sent, with another key")
	}
	if _, err := client.Verify.Get(t.Context(), "vrf_1", ramz.WithIdempotencyKey("order-1042")); !errors.Is(err, ramz.ErrConfiguration) {
		t.Errorf("a key that is of no use: %v", err)
	}
}

func TestNilRequestsAndSharedOnes(t *testing.T) {
	empty := reply{Status: 200, Body: json.RawMessage(`{"id":"whe_1"}`)}
	network := &network{replies: []reply{empty, empty, empty}}
	client := network.client(t)
	if _, err := client.Verify.Send(t.Context(), nil); err != nil || network.calls[0].body != "{}" {
		t.Errorf("%v, sent %q", err, network.calls[0].body)
	}
	for range client.Verify.List(t.Context(), nil) {
		t.Error("there is nothing")
	}
	request := &ramz.UpdateWebhookEndpointRequest{Enabled: ramz.Ptr(false), EventTypes: []ramz.EventType{}}
	if _, err := client.WebhookEndpoints.Update(t.Context(), "whe_1", request); err != nil {
		t.Fatal(err)
	}
	call := network.calls[2]
	if call.target != "/v1/webhook_endpoints/whe_1" || !isSameJSON(t, call.body, `{"event_types":[],"enabled":false}`) {
		t.Errorf("%s %s, and the request is now %v", call.target, call.body, request)
	}
	if _, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: "\xff"}); !errors.Is(err, ramz.ErrConfiguration) {
		t.Errorf("text that is none: %v", err)
	}
}

func TestListsThatGoWrong(t *testing.T) {
	page := func(token string) reply {
		return reply{Status: 200, Body: json.RawMessage(`{"sessions":[{"id":"vrf_1"}],"next_page_token":"` + token + `"}`)}
	}
	network := &network{replies: []reply{page("more"), page("more"), page("more"), {Status: 400, Body: json.RawMessage(`{"error":{"code":"invalid_page_token"}}`)}}}
	client := network.client(t)
	count, request := 0, new(ramz.ListSessionsRequest)
	for _, err := range client.Verify.List(t.Context(), request) {
		if err == nil {
			count++
		} else if !errors.Is(err, ramz.ErrServer) {
			t.Fatal(err)
		}
	}
	if request.PageToken != "" {
		t.Error("the caller's request was written to")
	}
	if count != 2 || len(network.calls) != 2 {
		t.Errorf("the same page without an end: %d items of %d pages", count, len(network.calls))
	}
	var last error
	for session, err := range client.Verify.List(t.Context(), nil) {
		if last = err; err != nil && session != nil {
			t.Errorf("%v beside %v", session, err)
		}
	}
	if ramz.CodeOf(last) != ramz.ErrorCodeInvalidPageToken {
		t.Errorf("ended with %v", last)
	}
}

func TestTheCallersContextEndsAPause(t *testing.T) {
	calls := map[string]func(context.Context, *ramz.Client) error{
		"get": func(ctx context.Context, client *ramz.Client) error {
			_, err := client.Verify.Get(ctx, "vrf_1")
			return err
		},
		"watch": func(ctx context.Context, client *ramz.Client) (last error) {
			for _, err := range client.Verify.Watch(ctx, "vrf_1") {
				last = err
			}
			return last
		},
	}
	for name, call := range calls {
		synctest.Test(t, func(t *testing.T) {
			busy := reply{Status: http.StatusServiceUnavailable, Headers: map[string]string{"Retry-After": "9"}}
			client := (&network{replies: []reply{busy, busy}}).client(t)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			begun := time.Now()
			err := call(ctx, client)
			if !errors.Is(err, context.Canceled) || errors.Is(err, ramz.ErrAPI) || time.Since(begun) != time.Second {
				t.Errorf("%s: %v after %s", name, err, time.Since(begun))
			}
		})
	}
}

func TestTheCallersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := reply{Fault: "timeout"}
		network := &network{replies: []reply{late, late, late}}
		client := network.client(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := client.Verify.Get(ctx, "vrf_1"); !errors.Is(err, context.Canceled) || errors.Is(err, ramz.ErrNetwork) {
			t.Errorf("canceled: %v", err)
		}
		short, cancelShort := context.WithTimeout(t.Context(), time.Second)
		defer cancelShort()
		if _, err := client.Verify.Get(short, "vrf_1"); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ramz.ErrTimeout) {
			t.Errorf("deadline: %v", err)
		}
		if len(network.calls) != 2 {
			t.Errorf("%d calls: the caller's own end is not repeated", len(network.calls))
		}
		begun := time.Now()
		_, err := client.Verify.Get(t.Context(), "vrf_1", ramz.WithCallTimeout(3*time.Second), ramz.WithCallMaxRetries(0))
		if !errors.Is(err, ramz.ErrTimeout) || time.Since(begun) != 3*time.Second {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
	})
}

func TestARedirectThatLooksLikeAnAnswer(t *testing.T) {
	network := &network{replies: []reply{{Status: 302, Body: json.RawMessage(`{"id":"acct_1"}`)}}}
	if account, err := network.client(t).Accounts.Get(t.Context()); account != nil || !errors.Is(err, ramz.ErrServer) {
		t.Errorf("%v %v", account, err)
	}
}

// What breaks off in the middle of an answer is no answer.
func TestBrokenAnswers(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			response.Header().Set("Content-Length", "100")
			_, _ = response.Write([]byte(`{"name":"Broken",`))
			return
		}
		_, _ = response.Write([]byte(`{"id":"acct_1"}`))
	}))
	defer server.Close()
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL+"//"))
	must(t, err)
	account, err := client.Accounts.Get(t.Context())
	if must(t, err); account.Name != "" || account.ID != "acct_1" || calls != 2 {
		t.Errorf("%v after %d calls", account, calls)
	}
}

// A key must not follow a redirect, and a list's filters must not get into an error's text.
func TestRealHTTP(t *testing.T) {
	visited := false
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/elsewhere" {
			visited = true
		}
		http.Redirect(response, request, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL), ramz.WithMaxRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	var failure *ramz.Error
	if _, err := client.Accounts.Get(t.Context()); !errors.As(err, &failure) || failure.Status != 307 || visited {
		t.Errorf("%v, followed: %t", err, visited)
	}
	server.Close()
	for _, err := range client.Verify.List(t.Context(), &ramz.ListSessionsRequest{To: "+213550000001"}) {
		if !errors.Is(err, ramz.ErrNetwork) || strings.Contains(err.Error(), "213550000001") {
			t.Errorf("%v", err)
		}
	}
}
