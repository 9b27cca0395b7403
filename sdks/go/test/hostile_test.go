package test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// What a hostile or broken other side may do: bodies without an end, lists in circles, JSON as deep as it gets.

func hostile(t *testing.T, handler http.HandlerFunc) *ramz.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL), ramz.WithMaxRetries(0), ramz.WithTimeout(time.Minute))
	must(t, err)
	return client
}

func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	var result bytes.Buffer
	writer := gzip.NewWriter(&result)
	_, err := writer.Write(content)
	must(t, err)
	must(t, writer.Close())
	return result.Bytes()
}

func TestABodyOfAGigabyte(t *testing.T) {
	mebibyte := bytes.Repeat([]byte(" "), 1<<20)
	bomb := packed(t, bytes.Repeat(mebibyte, 32))
	var sent atomic.Int32
	pour := func(response http.ResponseWriter, status int, kind string, head []byte) {
		response.Header().Set("Content-Type", kind)
		response.WriteHeader(status)
		_, err := response.Write(head)
		for ; err == nil && sent.Add(1) < 1024; _, err = response.Write(mebibyte) {
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"a success":            func(response http.ResponseWriter, _ *http.Request) { pour(response, 200, "application/json", nil) },
		"an error":             func(response http.ResponseWriter, _ *http.Request) { pour(response, 500, "text/html", nil) },
		"in place of a stream": func(response http.ResponseWriter, _ *http.Request) { pour(response, 200, "text/html", nil) },
		"a message of a stream": func(response http.ResponseWriter, _ *http.Request) {
			pour(response, 200, streamType, []byte{0, 0x04, 0, 0, 0}) // Of 64 MiB, it says.
		},
		"a gzip bomb": func(response http.ResponseWriter, _ *http.Request) {
			response.Header().Set("Content-Encoding", "gzip")
			_, _ = response.Write(bomb) // The reader may have gone.
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent.Store(0)
			client := hostile(t, handler)
			var err error
			if strings.Contains(name, "stream") {
				for _, err = range client.Verify.Watch(t.Context(), "vrf_1") {
				}
			} else {
				_, err = client.Verify.Get(t.Context(), "vrf_1")
			}
			if !errors.Is(err, ramz.ErrServer) || sent.Load() > 100 {
				t.Errorf("%v after %d MiB", err, sent.Load())
			}
		})
	}
}

func TestABodyPackedByGzip(t *testing.T) {
	client := hostile(t, func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Encoding", "gzip")
		_, _ = response.Write(packed(t, []byte(`{"id":"vrf_1"}`)))
	})
	if session, err := client.Verify.Get(t.Context(), "vrf_1"); err != nil || session.ID != "vrf_1" {
		t.Errorf("%v %v", session, err)
	}
}

// gotAndWatched returns the errors of a call and of a watch.
func gotAndWatched(t *testing.T, client *ramz.Client) []error {
	_, err := client.Verify.Get(t.Context(), "vrf_1")
	errs := []error{err}
	for _, err := range client.Verify.Watch(t.Context(), "vrf_1") {
		errs = append(errs, err)
	}
	return errs
}

// As debugging proxies do: what was sent, in the page and in headers.
func TestTheKeyThatComesBackIsInNoError(t *testing.T) {
	client := hostile(t, func(response http.ResponseWriter, request *http.Request) {
		sent := request.Header.Get("Authorization")
		response.Header().Set("X-Echo", sent)
		response.Header().Set("Location", "https://"+exampleKey+":"+exampleKey+"@elsewhere.example/?"+exampleKey)
		response.WriteHeader(http.StatusPermanentRedirect)
		_, _ = response.Write([]byte(strings.Repeat(" ", 1010) + sent))
	})
	errs := gotAndWatched(t, client)
	for _, err := range errs {
		var failure *ramz.Error
		if !errors.As(err, &failure) || !strings.Contains(err.Error(), "not an answer of Ramz: HTTP 308 to https://elsewhere.example/… (set base_url to that)") {
			t.Fatalf("%v", err)
		}
		if failure.Header.Get("X-Echo") != "Bearer ***" || failure.Header.Get("Location") != "https://***@elsewhere.example/?***" || !strings.HasSuffix(failure.Body, "Bearer ***") {
			t.Errorf("%v %q", failure.Header, failure.Body)
		}
		if text := fmt.Sprintf("%v %+v %#v", err, *failure, *failure); strings.Contains(text, exampleKey) {
			t.Error(text)
		}
	}
	if len(errs) != 2 {
		t.Errorf("%v", errs)
	}
}

func TestAGatewayThatRepeatsTheKey(t *testing.T) {
	refusal := fmt.Sprintf(`{"code":"bad_token","message":"no such token: %s","token":"%s"}`, exampleKey, exampleKey)
	for _, body := range []string{refusal, `{"error":` + refusal + `}`} {
		answer := reply{Status: 401, Headers: map[string]string{"X-Request-Id": exampleKey}, BodyText: body}
		asked := &network{replies: []reply{answer, answer}}
		client := asked.client(t)
		errs := gotAndWatched(t, client)
		for _, err := range errs {
			var failure *ramz.Error
			if !errors.As(err, &failure) || !strings.Contains(failure.Message, "no such token: ***") {
				t.Fatalf("%v", err)
			}
			if text := fmt.Sprintf("%v %+v %#v", err, *failure, *failure); strings.Contains(text, exampleKey) {
				t.Error(text)
			}
			if failure.Status != 401 || failure.RequestID != "***" {
				t.Errorf("HTTP %d %s", failure.Status, failure.RequestID)
			}
		}
		if len(errs) != 2 || len(asked.calls) != 2 {
			t.Errorf("%v after %d calls", errs, len(asked.calls))
		}
	}
}

// Where the length of the answer before was wrong, say: its rest is taken for a head.
func TestAnAnswerWithoutAHead(t *testing.T) {
	for name, answer := range map[string]string{
		"no head":     "{\"id\":\"vrf_1\",\"to\":\"+213550000001\"}\r\n\r\n",
		"in the head": "HTTP/1.1 200 OK\r\n{\"id\";\"vrf_1\",\"to\";\"+213550000001\"}\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			client := hostile(t, func(response http.ResponseWriter, _ *http.Request) {
				connection, _, err := response.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(connection, answer)
				_ = connection.Close()
			})
			_, err := client.Verify.Get(t.Context(), "vrf_1")
			if !errors.Is(err, ramz.ErrNetwork) || !strings.Contains(err.Error(), "malformed") {
				t.Fatalf("%v", err)
			}
			if text := fmt.Sprintf("%v %#v", err, errors.Unwrap(err)); strings.Contains(text, "213550000001") {
				t.Error(text)
			}
		})
	}
}

// Go's own client makes an error of it, with all of the address.
func TestARedirectToNoAddress(t *testing.T) {
	client := hostile(t, func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Location", "http://user:password@verify example:no/?to=%2B213550000001&key="+request.Header.Get("Authorization"))
		response.WriteHeader(http.StatusFound)
	})
	_, err := client.Verify.Get(t.Context(), "vrf_1")
	errs := []error{err}
	for _, err := range client.Verify.Watch(t.Context(), "vrf_1") {
		errs = append(errs, err)
	}
	for _, err := range errs {
		var failure *ramz.Error
		if !errors.As(err, &failure) || !errors.Is(err, ramz.ErrServer) || failure.Status != http.StatusFound {
			t.Fatalf("%v", err)
		}
		if got, want := failure.Header.Get("Location"), "http://***@verify example:no/?to=%2B213550000001&key=Bearer ***"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		for _, secret := range []string{"password", "213550000001", exampleKey} {
			if strings.Contains(err.Error(), secret) {
				t.Error(err)
			}
		}
	}
	if len(errs) != 2 {
		t.Errorf("%v", errs)
	}
}

// What lies behind an error is in its text, but for the address: it may hold a phone number.
func TestAnErrorShowsItsCause(t *testing.T) {
	network := &network{replies: []reply{{Status: 200, BodyText: `{"id":"vrf_1","valid":"+213550000001"}`}}}
	_, err := network.client(t, ramz.WithMaxRetries(0)).Verify.Check(t.Context(), &ramz.CheckRequest{ID: "vrf_1", Code: "042617"})
	if text := err.Error(); !strings.Contains(text, "HTTP 200 (") || !strings.Contains(text, "valid is not of the type bool") || strings.Contains(text, "2135") {
		t.Error(text)
	}
	ctx, cancel := contextFor(t, time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	for _, err := range network.client(t).Verify.List(ctx, &ramz.ListSessionsRequest{To: "+213550000001"}) {
		if text := err.Error(); !strings.Contains(text, "context deadline exceeded") || strings.Contains(text, "213550000001") {
			t.Error(text)
		}
	}
}

func TestABodyThatDrips(t *testing.T) {
	client := hostile(t, func(response http.ResponseWriter, request *http.Request) {
		for request.Context().Err() == nil {
			if _, err := io.WriteString(response, " "); err != nil {
				return
			}
			response.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	if _, err := client.Verify.Get(t.Context(), "vrf_1", ramz.WithCallTimeout(50*time.Millisecond)); !errors.Is(err, ramz.ErrTimeout) {
		t.Errorf("%v", err)
	}
}

// What follows a 101 is another protocol, which nobody asked for, and its connection stays open.
func TestAnAnswerThatSwitchesProtocols(t *testing.T) {
	client := hostile(t, func(response http.ResponseWriter, _ *http.Request) {
		connection, _, err := response.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = connection.Close() })
		_, _ = io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
	})
	failures := make(chan error, 2)
	go func() {
		_, err := client.Verify.Get(t.Context(), "vrf_1")
		failures <- err
		for _, err := range client.Verify.Watch(t.Context(), "vrf_1") {
			failures <- err
		}
	}()
	for range 2 {
		select {
		case err := <-failures:
			if !errors.Is(err, ramz.ErrServer) || !strings.Contains(err.Error(), "not an answer of Ramz: HTTP 101") {
				t.Errorf("%v", err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it waits for an end that does not come")
		}
	}
}

func TestHostileJSON(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	for name, text := range map[string]string{
		"deep":             `{"id":"vrf_1","more":` + deep + `}`,
		"deep in an error": `{"error":{"code":"no_route","more":` + deep + `}}`,
		"a name twice":     `{"id":"vrf_1","id":"vrf_2"}`,
	} {
		for _, status := range []int{200, 502} {
			network := &network{replies: []reply{{Status: status, BodyText: text}}}
			if _, err := network.client(t, ramz.WithMaxRetries(0)).Verify.Get(t.Context(), "vrf_1"); !errors.Is(err, ramz.ErrServer) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestListsInCircles(t *testing.T) {
	var file struct {
		Operation string `json:"operation"`
		Cases     []struct {
			Name   string            `json:"name"`
			Pages  []json.RawMessage `json:"pages"`
			Expect struct {
				IDs        []string `json:"ids"`
				PageTokens []string `json:"page_tokens"`
				Error      string   `json:"error"`
			} `json:"expect"`
		} `json:"cases"`
	}
	vectors(t, "lists.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) {
			network := &network{}
			for _, page := range vector.Pages {
				network.replies = append(network.replies, reply{Status: 200, Body: page})
			}
			answers, err := operate(t, network.client(t), file.Operation, nil)
			ids := []string{}
			for _, answer := range answers {
				ids = append(ids, answer.(*ramz.SessionSummary).ID)
			}
			tokens := []string{}
			for _, call := range network.calls {
				_, token, _ := strings.Cut(call.target, "page_token=")
				tokens = append(tokens, token)
			}
			var failure *ramz.Error
			if vector.Expect.Error == "" {
				must(t, err)
			} else if !errors.As(err, &failure) || string(failure.Kind) != vector.Expect.Error || failure.Operation != file.Operation {
				t.Errorf("%v", err)
			}
			if !slices.Equal(ids, vector.Expect.IDs) || !slices.Equal(tokens, vector.Expect.PageTokens) {
				t.Errorf("%v by %v", ids, tokens)
			}
		})
	}
}

// Something on the way may answer with reasons of its own: they are no codes of Ramz.
func TestTheReasonsOfOthers(t *testing.T) {
	for domain, want := range map[string]ramz.ErrorCode{"ramz": "rate_limited", "googleapis.com": "", "": ""} {
		client := hostile(t, func(response http.ResponseWriter, _ *http.Request) {
			response.Header().Set("Content-Type", streamType)
			writeEnd(response, "unavailable", errorInfo("rate_limited", domain))
		})
		for _, err := range client.Verify.Watch(t.Context(), "vrf_1") {
			var failure *ramz.Error
			if !errors.As(err, &failure) || failure.Code != want || failure.Message != "the text" {
				t.Errorf("%q: %v", domain, err)
			}
		}
	}
}

// Details that end in the middle, or are no protobuf: it is the same error, without them.
func TestBrokenDetails(t *testing.T) {
	whole := errorInfo("no_route", "ramz")
	for _, detail := range [][]byte{whole[:3], {0xff, 0xff}, {0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, {0x0b}, nil} {
		client := hostile(t, func(response http.ResponseWriter, _ *http.Request) {
			response.Header().Set("Content-Type", streamType)
			writeEnd(response, "not_found", detail)
		})
		for _, err := range client.Verify.Watch(t.Context(), "vrf_1") {
			if ramz.CodeOf(err) != "" || !errors.Is(err, ramz.ErrServer) || !strings.Contains(err.Error(), "the text") {
				t.Errorf("%x: %v", detail, err)
			}
		}
	}
}

// Nothing that a logger may print holds the key: errors and what lies behind them.
func TestTheKeyIsInNoCause(t *testing.T) {
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL("http://127.0.0.1:1"), ramz.WithMaxRetries(0))
	must(t, err)
	_, err = client.Verify.Get(t.Context(), "vrf_1")
	for _, watched := range client.Verify.Watch(t.Context(), "vrf_1") {
		err = errors.Join(err, watched)
	}
	checkErrors(t, err, exampleKey, 5)
}

// lateError is of a transport that knows half of net.Error.
type lateError struct{}

func (lateError) Error() string { return "too late" }
func (lateError) Timeout() bool { return true }

// The addresses of a list and of an erasure hold one, and net/http's errors hold the address.
func TestANumberIsInNoCause(t *testing.T) {
	call := func(options ...ramz.Option) error {
		client, err := ramz.NewClient(append(options, ramz.WithAPIKey(exampleKey), ramz.WithMaxRetries(0))...)
		must(t, err)
		_, erased := client.Numbers.Erase(t.Context(), "+213550000001")
		for _, listed := range client.Verify.List(t.Context(), &ramz.ListSessionsRequest{To: "+213550000001"}) {
			erased = errors.Join(erased, listed)
		}
		return erased
	}
	nobody := call(ramz.WithBaseURL("http://127.0.0.1:1"))
	checkErrors(t, nobody, "213550000001", 5)
	var refused *net.OpError
	if !errors.Is(nobody, ramz.ErrNetwork) || errors.Is(nobody, ramz.ErrTimeout) || !errors.As(nobody, &refused) {
		t.Errorf("%v", nobody)
	}

	deadline := call(ramz.WithBaseURL("http://ramz.example"), ramz.WithTimeout(time.Millisecond),
		ramz.WithHTTPClient(&http.Client{Transport: &network{replies: []reply{{Fault: "timeout"}, {Fault: "timeout"}}}}))
	checkErrors(t, deadline, "213550000001", 5)
	var late net.Error
	if !errors.Is(deadline, ramz.ErrTimeout) || !errors.Is(deadline, context.DeadlineExceeded) || !errors.As(deadline, &late) || !late.Timeout() {
		t.Errorf("%v", deadline)
	}

	// Behind a transport that asks with a client of its own, the address is there twice.
	nested := roundTrip(func(request *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("by a relay: %w", &url.Error{Op: "Get", URL: request.URL.String(), Err: io.ErrUnexpectedEOF})
	})
	relayed := call(ramz.WithBaseURL("http://ramz.example"), ramz.WithHTTPClient(&http.Client{Transport: nested}))
	checkErrors(t, relayed, "213550000001", 5)
	if !errors.Is(relayed, ramz.ErrNetwork) || !errors.Is(relayed, io.ErrUnexpectedEOF) {
		t.Errorf("%v", relayed)
	}

	half := roundTrip(func(*http.Request) (*http.Response, error) { return nil, lateError{} })
	slow := call(ramz.WithBaseURL("http://ramz.example"), ramz.WithHTTPClient(&http.Client{Transport: half}))
	if !errors.Is(slow, ramz.ErrTimeout) || !errors.Is(slow, lateError{}) {
		t.Errorf("%v", slow)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// checkErrors looks for a text in all errors that err is made of, of which there are so many at least.
func checkErrors(t *testing.T, err error, text string, least int) {
	t.Helper()
	var seen []error
	for next := []error{err}; len(next) > 0; next = next[1:] {
		seen = append(seen, next[0])
		switch outer := next[0].(type) {
		case interface{ Unwrap() error }:
			if inner := outer.Unwrap(); inner != nil {
				next = append(next, inner)
			}
		case interface{ Unwrap() []error }:
			next = append(next, outer.Unwrap()...)
		}
	}
	for _, one := range seen {
		if shown := fmt.Sprintf("%v %+v %#v", one, one, one); strings.Contains(shown, text) {
			t.Error(shown)
		}
	}
	if len(seen) < least {
		t.Errorf("only %d errors were looked at", len(seen))
	}
}
