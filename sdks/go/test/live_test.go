package test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/webhooks"
)

const patience = time.Minute

// story is what the steps of TestStory hand on.
type story struct {
	client    *ramz.Client
	endpoint  *ramz.WebhookEndpoint
	number    string
	reference string
	session   *ramz.SendResponse
	code      string
}

// The same story in every language, against the running service and its sandbox: client and key are from the environment.
func TestStory(t *testing.T) {
	if os.Getenv("RAMZ_SANDBOX_URL") == "" {
		t.Skip("no running service: node test/sdks/run.ts go starts one")
	}
	client, err := ramz.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	s := &story{client: client, number: phone(t), reference: "طلب ١٠٤٢ 🙂 " + digits(t, 6)}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"the account", s.account},
		{"a webhook endpoint", s.createEndpoint},
		{"send", s.send},
		{"a wrong code", s.checkWrong},
		{"the right code", s.checkRight},
		{"the session's story", s.get},
		{"sessions by reference, page by page", s.list},
		{"watch until canceled", s.watch},
		{"the webhook", s.webhook},
		{"refusals", s.refusals},
		{"one key, one session", s.idempotency},
		{"keys", s.keys},
		{"a test key", s.testKey},
		{"the endpoint deleted", s.deleteEndpoint},
	} {
		if !t.Run(step.name, step.run) {
			t.Fatal("the rest of the story needs this")
		}
	}
}

func (s *story) account(t *testing.T) {
	account, err := s.client.Accounts.Get(t.Context())
	must(t, err)
	if !strings.HasPrefix(account.ID, "acct_") || account.CreatedAt.IsZero() {
		t.Errorf("%v", account)
	}
}

func (s *story) createEndpoint(t *testing.T) {
	endpoint, err := s.client.WebhookEndpoints.Create(t.Context(), &ramz.CreateWebhookEndpointRequest{
		URL: os.Getenv("RAMZ_WEBHOOK_SINK") + "/go", EventTypes: []ramz.EventType{ramz.EventTypeSessionVerified, ramz.EventTypeReceiptUpdated},
	})
	must(t, err)
	if !strings.HasPrefix(endpoint.Secret, "whsec_") || !endpoint.Enabled {
		t.Errorf("%v", endpoint)
	}
	s.endpoint = endpoint
}

func (s *story) send(t *testing.T) {
	session, err := s.client.Verify.Send(t.Context(), &ramz.SendRequest{
		To: s.number, ClientReference: s.reference, Purpose: "login", Language: ramz.LanguageFr,
	})
	must(t, err)
	if session.Status != ramz.SessionStatusPending || session.To != s.number || session.Test || len(session.Cascade) == 0 {
		t.Errorf("%v", session)
	}
	s.session, s.code = session, codeSentTo(t, s.number)
}

func (s *story) checkWrong(t *testing.T) {
	wrong := "111111"
	if wrong == s.code {
		wrong = "222222"
	}
	result, err := s.client.Verify.Check(t.Context(), &ramz.CheckRequest{ID: s.session.ID, Code: wrong})
	must(t, err)
	if result.Valid || result.Reason != ramz.CheckReasonIncorrectCode || result.AttemptsRemaining != 4 || !result.VerifiedAt.IsZero() {
		t.Errorf("%v", result)
	}
}

func (s *story) checkRight(t *testing.T) {
	result, err := s.client.Verify.Check(t.Context(), &ramz.CheckRequest{To: s.number, Purpose: "login", Code: s.code})
	must(t, err)
	if !result.Valid || result.Reason != "" || result.ID != s.session.ID || time.Since(result.VerifiedAt) > time.Minute {
		t.Errorf("%v", result)
	}
}

func (s *story) get(t *testing.T) {
	eventually(t, "the cost is known", func() bool {
		session, err := s.client.Verify.Get(t.Context(), s.session.ID)
		must(t, err)
		if session.Status != ramz.SessionStatusVerified || session.ClientReference != s.reference || len(session.Timeline) < 3 {
			t.Fatalf("%v", session)
		}
		return len(session.TotalCost) == 1 && session.TotalCost[0].Amount != "" && session.Messages[0].Cost != nil && session.Messages[0].Cost.Currency != ""
	})
}

func (s *story) list(t *testing.T) {
	second, err := s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: phone(t), ClientReference: s.reference})
	must(t, err)
	var ids []string
	request := &ramz.ListSessionsRequest{
		PageSize: 1, ClientReference: s.reference, CreatedAfter: time.Now().Add(-time.Hour),
	}
	for session, err := range s.client.Verify.List(t.Context(), request) {
		must(t, err)
		ids = append(ids, session.ID)
	}
	if len(ids) != 2 || ids[0] != second.ID || ids[1] != s.session.ID {
		t.Errorf("%v, want %s and %s", ids, second.ID, s.session.ID)
	}
}

func (s *story) watch(t *testing.T) {
	session, err := s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: phone(t)})
	must(t, err)
	var last *ramz.WatchSessionResponse
	entries := 0
	for update, err := range s.client.Verify.Watch(t.Context(), session.ID) {
		must(t, err)
		if last == nil {
			_, err := s.client.Verify.Cancel(t.Context(), session.ID)
			must(t, err)
		}
		last, entries = update, entries+len(update.NewEntries)
	}
	if last == nil || last.Session.Status != ramz.SessionStatusCanceled || entries != len(last.Session.Timeline) {
		t.Errorf("%d entries, ended with %v", entries, last)
	}
	for _, err := range s.client.Verify.Watch(t.Context(), "vrf_none") {
		expectCode(t, err, ramz.ErrorCodeSessionNotFound, ramz.ErrNotFound)
	}
}

func (s *story) webhook(t *testing.T) {
	var verified *webhooks.Event
	eventually(t, "the webhook has come", func() bool {
		for _, received := range received(t, s.session.ID) {
			if received.Endpoint != "go" || !strings.Contains(received.Body, string(ramz.EventTypeSessionVerified)) {
				continue
			}
			header := http.Header{}
			for name, value := range received.Headers {
				header.Set(name, value)
			}
			event, err := webhooks.Verify([]byte(received.Body), header, s.endpoint.Secret)
			must(t, err)
			tampered := strings.Replace(received.Body, "verified", "canceled", 1)
			var refused *webhooks.SignatureError
			if _, err := webhooks.Verify([]byte(tampered), header, s.endpoint.Secret); !errors.As(err, &refused) || refused.Reason != webhooks.ReasonNoMatch {
				t.Errorf("tampered with: %v", err)
			}
			verified = event
		}
		return verified != nil
	})
	data, isSession := verified.Data.(*ramz.SessionEvent)
	if !isSession || data.SessionID != s.session.ID || data.Session == nil || data.Session.ClientReference != s.reference || verified.Type != ramz.EventTypeSessionVerified {
		t.Errorf("%v", verified)
	}
}

// received is what the sandbox's endpoint took.
func received(t *testing.T, sessionID string) []struct {
	Endpoint, Body string
	Headers        map[string]string
} {
	t.Helper()
	var answer struct {
		Webhooks []struct {
			Endpoint, Body string
			Headers        map[string]string
		}
	}
	sandbox(t, "/sandbox/webhooks?session_id="+url.QueryEscape(sessionID), &answer)
	return answer.Webhooks
}

// codeSentTo waits for the SMS.
func codeSentTo(t *testing.T, number string) string {
	t.Helper()
	var code string
	eventually(t, "the SMS has come", func() bool {
		var answer struct{ Messages []struct{ Text string } }
		sandbox(t, "/sandbox/messages?to="+url.QueryEscape(number), &answer)
		for _, message := range answer.Messages {
			code = regexp.MustCompile(`\d{6}`).FindString(message.Text)
		}
		return code != ""
	})
	return code
}

func sandbox(t *testing.T, path string, into any) {
	t.Helper()
	response, err := http.Get(os.Getenv("RAMZ_SANDBOX_URL") + path)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	must(t, json.Unmarshal(text, into))
}

// phone is a number that nobody had before.
func phone(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("RAMZ_SANDBOX_FILE"))
	must(t, err)
	var file struct{ Prefixes []string }
	must(t, json.Unmarshal(text, &file))
	return file.Prefixes[0] + digits(t, 7)
}

func digits(t *testing.T, count int64) string {
	t.Helper()
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(count), nil)
	value, err := rand.Int(rand.Reader, limit)
	must(t, err)
	return fmt.Sprintf("%0*d", count, value)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
