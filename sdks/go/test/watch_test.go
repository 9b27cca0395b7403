package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/ramztest"
)

func TestWatchEndsWithTheSession(t *testing.T) {
	client := ramztest.New().Client()
	session := opened(t, client, &ramz.SendRequest{To: number})
	var seen []ramz.SessionStatus
	for update, err := range client.Verify.Watch(t.Context(), session.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, update.Session.Status); len(seen) == 1 {
			if _, err := client.Verify.Cancel(t.Context(), session.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 2 || seen[1] != ramz.SessionStatusCanceled {
		t.Errorf("%v", seen)
	}
}

func TestWatchIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // A goroutine that stays behind fails it.
		client := ramztest.New().Client()
		session := opened(t, client, &ramz.SendRequest{To: number})
		for range client.Verify.Watch(t.Context(), session.ID) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for _, err := range client.Verify.Watch(ctx, session.ID) {
			if cancel(); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestWatchIsRefused(t *testing.T) {
	for _, err := range ramztest.New().Client().Verify.Watch(t.Context(), "vrf_1") {
		if ramz.CodeOf(err) != ramz.ErrorCodeSessionNotFound || !errors.Is(err, ramz.ErrNotFound) {
			t.Errorf("%v", err)
		}
	}
	network := &network{replies: []reply{
		{Status: 502, Headers: map[string]string{"content-type": "application/connect+json"}},
		{Status: 200, Headers: map[string]string{"content-type": "text/html"}, BodyText: "<html>"},
	}}
	for _, want := range []int{502, 200} {
		for _, err := range network.client(t, ramz.WithMaxRetries(0)).Verify.Watch(t.Context(), "vrf_1") {
			var failure *ramz.Error
			if !errors.As(err, &failure) || failure.Kind != ramz.KindServer || failure.Status != want || failure.Operation != "verify.watch" {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestWatchWaitsForItsFirstAnswerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := reply{Fault: "timeout"}
		network := &network{replies: []reply{late, late, late}}
		begun, count := time.Now(), 0
		for _, err := range network.client(t).Verify.Watch(t.Context(), "vrf_1") {
			if count++; !errors.Is(err, ramz.ErrTimeout) {
				t.Errorf("%v", err)
			}
		}
		if took := time.Since(begun); count != 1 || len(network.calls) != 3 || took < 30*time.Second || took > 32*time.Second {
			t.Errorf("%d calls in %s", len(network.calls), took)
		}
		client := ramztest.New().Client()
		session := opened(t, client, &ramz.SendRequest{To: number})
		time.AfterFunc(time.Minute, func() { _, _ = client.Verify.Cancel(t.Context(), session.ID) })
		for _, err := range client.Verify.Watch(t.Context(), session.ID) {
			if err != nil {
				t.Errorf("a quiet stream is not a lost one: %v", err)
			}
		}
	})
}

// silent is a network whose streams say nothing after their first message, but for the second one, which ends.
type silent struct{ begun []time.Time }

func (s *silent) RoundTrip(request *http.Request) (*http.Response, error) {
	s.begun = append(s.begun, time.Now())
	body := httptest.NewRecorder()
	session := &ramz.Session{ID: "vrf_1", Status: ramz.SessionStatusPending}
	if len(s.begun) == 2 {
		session.Status = ramz.SessionStatusVerified
	}
	writeMessage(body, 0, ramz.WatchSessionResponse{Session: session})
	if len(s.begun) == 2 {
		writeMessage(body, endOfStream, map[string]any{})
	}
	reader, writer := io.Pipe()
	go func() {
		_, _ = writer.Write(body.Body.Bytes())
		<-request.Context().Done()
		_ = writer.CloseWithError(request.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {streamType}}, Body: reader, Request: request}, nil
}

func TestASilentConnectionOfAWatchIsMadeAgain(t *testing.T) {
	for limit, quiet := range map[time.Duration]time.Duration{10 * time.Second: time.Minute, 2 * time.Minute: 2 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			network := &silent{}
			client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL("http://ramz.example"), ramz.WithTimeout(limit),
				ramz.WithMaxRetries(0), ramz.WithHTTPClient(&http.Client{Transport: network}))
			must(t, err)
			var seen []ramz.SessionStatus
			var read time.Time
			for update, err := range client.Verify.Watch(t.Context(), "vrf_1") {
				must(t, err)
				if seen = append(seen, update.Session.Status); len(seen) == 1 {
					time.Sleep(time.Hour) // The time that the reader takes is not the connection's.
					read = time.Now()
				}
			}
			if !slices.Equal(seen, []ramz.SessionStatus{"pending", "verified"}) || len(network.begun) != 2 || network.begun[1].Sub(read) != quiet {
				t.Errorf("%v, streams at %v, read at %v", seen, network.begun, read)
			}
		})
	}
}

func TestAContextEndsASilentWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &silent{}
		client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL("http://ramz.example"),
			ramz.WithHTTPClient(&http.Client{Transport: network}))
		must(t, err)
		ctx, cancel := contextFor(t, 30*time.Second)
		defer cancel()
		var errs []error
		for _, err := range client.Verify.Watch(ctx, "vrf_1") {
			errs = append(errs, err)
		}
		if len(errs) != 2 || !errors.Is(errs[1], context.DeadlineExceeded) || len(network.begun) != 1 {
			t.Errorf("%v of %d streams", errs, len(network.begun))
		}
	})
}

// breaking is a service that loses its streams after the first message, as often as it is set to.
type breaking struct{ times, calls int }

func (b *breaking) ServeHTTP(response http.ResponseWriter, _ *http.Request) {
	b.calls++
	response.Header().Set("Content-Type", streamType)
	timeline := []ramz.TimelineEntry{{Kind: "opened"}, {Kind: "checked"}}
	writeMessage(response, 0, ramz.WatchSessionResponse{
		Session: &ramz.Session{ID: "vrf_1", Status: "pending", Timeline: timeline}, NewEntries: timeline,
	})
	if b.calls <= b.times {
		panic(http.ErrAbortHandler)
	}
	entry := ramz.TimelineEntry{Kind: "verified"}
	writeMessage(response, 0, ramz.WatchSessionResponse{
		Session:    &ramz.Session{ID: "vrf_1", Status: "verified", Timeline: append(timeline, entry)},
		NewEntries: []ramz.TimelineEntry{entry},
	})
	writeMessage(response, endOfStream, map[string]any{})
}

// Its streams are of vrf_1, whatever was asked for.
func TestWatchOfSomebodyElsesSession(t *testing.T) {
	service := &breaking{}
	server := httptest.NewServer(service)
	defer server.Close()
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL))
	must(t, err)
	var errs []error
	for update, err := range client.Verify.Watch(t.Context(), "vrf_2") {
		if update != nil {
			t.Errorf("%v", update)
		}
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], ramz.ErrServer) || !strings.Contains(errs[0].Error(), "another id than asked for") || service.calls != 1 {
		t.Errorf("%v after %d streams", errs, service.calls)
	}
}

// Not when it ends, which may be minutes later.
func TestAWatchReportsAConnectionWhenItsResponseHasCome(t *testing.T) {
	server := httptest.NewServer(&breaking{times: 1})
	var told []string
	hook := func(info ramz.ResponseInfo) { told = append(told, fmt.Sprint(info.Attempt, " HTTP ", info.Status)) }
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL), ramz.WithMaxRetries(0), ramz.WithOnResponse(hook))
	must(t, err)
	for range client.Verify.Watch(t.Context(), "vrf_1") {
		told = append(told, "an update")
	}
	server.Close()
	for range client.Verify.Watch(t.Context(), "vrf_1") {
		told = append(told, "an error")
	}
	if want := []string{"1 HTTP 200", "an update", "an update", "1 HTTP 0", "an error"}; !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

func TestWatchConnectsAgain(t *testing.T) {
	service := &breaking{times: 1}
	server := httptest.NewServer(service)
	defer server.Close()
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for update, err := range client.Verify.Watch(t.Context(), "vrf_1") {
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range update.NewEntries {
			seen = append(seen, string(entry.Kind))
		}
		seen = append(seen, string(update.Session.Status))
	}
	// Nothing twice, though the second stream began from the start.
	if strings.Join(seen, " ") != "opened checked pending verified verified" || service.calls != 2 {
		t.Errorf("%v of %d streams", seen, service.calls)
	}
}
