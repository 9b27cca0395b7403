package test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

const exampleKey = "ramz_live_example_key"

// reply is what the network answers to one call.
type reply struct {
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Body     json.RawMessage   `json:"body"`
	BodyText string            `json:"body_text"`
	Fault    string            `json:"fault"`
	TakesMs  int               `json:"takes_ms"`
}

// asked is one call as the network saw it.
type asked struct {
	method, target string
	header         http.Header
	body           string
	begun, ended   time.Time
	limit          time.Duration // Of the attempt; 0: none.
}

// network answers replies in turn, and remembers what it was asked.
type network struct {
	replies []reply
	calls   []asked
}

func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	call := asked{method: request.Method, target: request.URL.RequestURI(), header: request.Header, begun: time.Now()}
	if deadline, isSet := request.Context().Deadline(); isSet {
		call.limit = time.Until(deadline)
	}
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		call.body = string(body)
	}
	if len(n.calls) >= len(n.replies) {
		return nil, errors.New("the network was asked more often than it has answers")
	}
	next := n.replies[len(n.calls)]
	time.Sleep(time.Duration(next.TakesMs) * time.Millisecond) // By the clock of synctest.
	var err error
	switch next.Fault {
	case "connection":
		err = errors.New("connection reset by peer")
	case "timeout":
		<-request.Context().Done()
		err = request.Context().Err()
	}
	call.ended = time.Now()
	n.calls = append(n.calls, call)
	if err != nil {
		return nil, err
	}
	body := next.BodyText
	if len(next.Body) > 0 {
		body = string(next.Body)
	}
	header := http.Header{}
	for name, value := range next.Headers {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: next.Status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

// options of a client that asks this network.
func (n *network) options() []ramz.Option {
	return []ramz.Option{
		ramz.WithAPIKey(exampleKey),
		ramz.WithBaseURL("https://verify.example"),
		ramz.WithHTTPClient(&http.Client{Transport: n}),
	}
}

func (n *network) client(t *testing.T, options ...ramz.Option) *ramz.Client {
	t.Helper()
	client, err := ramz.NewClient(append(n.options(), options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
