package test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ramz-verify/ramz/sdks/go/webhooks"
)

func TestHandler(t *testing.T) {
	const body = `{"id":"evt_1","type":"session.verified","data":{"session_id":"vrf_1"}}`
	header, err := webhooks.Sign([]byte(body), "evt_1", time.Now(), secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, method, body string
		secrets            []string
		failure            error
		want               int
		isHandled          bool
	}{
		{"genuine", "POST", body, []string{secret}, nil, 204, true},
		{"tampered with", "POST", strings.Replace(body, "vrf_1", "vrf_2", 1), []string{secret}, nil, 400, false},
		{"not handled", "POST", body, []string{secret}, errors.New("the database is away"), 500, true},
		{"no secret", "POST", body, nil, nil, 500, false},
		{"looked at", "GET", "", []string{secret}, nil, 405, false},
		{"too large", "POST", strings.Repeat(" ", 1<<20+1), []string{secret}, nil, 400, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			isHandled := false
			handler := webhooks.Handler(webhooks.Verifier{Secrets: test.secrets}, func(_ context.Context, event *webhooks.Event) error {
				isHandled = event.ID == "evt_1"
				return test.failure
			})
			request := httptest.NewRequest(test.method, "/webhooks/ramz", strings.NewReader(test.body))
			for name, values := range header {
				request.Header[name] = values
			}
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if response.Code != test.want || isHandled != test.isHandled {
				t.Errorf("%d, handled: %t: %s", response.Code, isHandled, response.Body)
			}
			if strings.Contains(response.Body.String(), "database") {
				t.Errorf("tells strangers %q", response.Body)
			}
			// Read to its end, it would be refused for its signature.
			if test.name == "too large" && !strings.Contains(response.Body.String(), "could not be read") {
				t.Errorf("said %q", response.Body)
			}
		})
	}
}
