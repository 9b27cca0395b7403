package test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/webhooks"
)

type signatureVectors struct {
	Sign []struct {
		Name      string   `json:"name"`
		ID        string   `json:"id"`
		Timestamp int64    `json:"timestamp"`
		Body      string   `json:"body"`
		Secrets   []string `json:"secrets"`
		Signature string   `json:"signature"`
	} `json:"sign"`
	Verify []struct {
		Name      string          `json:"name"`
		ID        string          `json:"id"`
		Timestamp string          `json:"timestamp"`
		Body      string          `json:"body"`
		Secrets   []string        `json:"secrets"`
		Now       int64           `json:"now"`
		Signature string          `json:"signature"`
		Expect    webhooks.Reason `json:"expect"`
	} `json:"verify"`
}

func TestSign(t *testing.T) {
	var file signatureVectors
	vectors(t, "signatures.json", &file)
	for _, vector := range file.Sign {
		t.Run(vector.Name, func(t *testing.T) {
			header, err := webhooks.Sign([]byte(vector.Body), vector.ID, time.Unix(vector.Timestamp, 0), vector.Secrets...)
			if err != nil {
				t.Fatal(err)
			}
			if got := header.Get("webhook-signature"); got != vector.Signature {
				t.Errorf("%s, want %s", got, vector.Signature)
			}
		})
	}
}

func TestVerify(t *testing.T) {
	var file signatureVectors
	vectors(t, "signatures.json", &file)
	for _, vector := range file.Verify {
		t.Run(vector.Name, func(t *testing.T) {
			// Not canonical, as headers are that were copied by hand.
			header := http.Header{
				"webhook-id": {vector.ID}, "WEBHOOK-TIMESTAMP": {vector.Timestamp}, "webhook-signature": {vector.Signature},
			}
			verifier := webhooks.Verifier{Secrets: vector.Secrets, Now: func() time.Time { return time.Unix(vector.Now, 0) }}
			event, err := verifier.Verify([]byte(vector.Body), header)
			if vector.Expect != "valid" {
				var refused *webhooks.SignatureError
				if event != nil || !errors.As(err, &refused) || refused.Reason != vector.Expect {
					t.Errorf("%v %v, want %s", event, err, vector.Expect)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if event.ID != vector.ID {
				t.Errorf("event %s, want %s", event.ID, vector.ID)
			}
		})
	}
}

const secret = "whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="

// deliver signs a body and verifies it.
func deliver(t *testing.T, body string) *webhooks.Event {
	t.Helper()
	header, err := webhooks.Sign([]byte(body), "evt_1", time.Now(), secret)
	if err != nil {
		t.Fatal(err)
	}
	event, err := webhooks.Verify([]byte(body), header, secret)
	if err != nil {
		t.Fatal(err)
	}
	return event
}

func TestEventData(t *testing.T) {
	types := map[ramz.EventType]any{
		ramz.EventTypeReceiptUpdated: &ramz.Receipt{}, ramz.EventTypeMessageFailed: &ramz.MessageEvent{},
		ramz.EventTypeSessionVerified: &ramz.SessionEvent{}, ramz.EventTypeSenderIDDecided: &ramz.SenderIDEvent{},
		ramz.EventTypeWABAConnected: &ramz.WABAEvent{}, ramz.EventTypeEndpointDisabled: &ramz.EndpointEvent{},
	}
	for name, want := range types {
		event := deliver(t, `{"id":"evt_1","type":"`+string(name)+`","data":{"brand_new":1}}`)
		if got, wanted := typeName(event.Data), typeName(want); got != wanted || event.Type != name {
			t.Errorf("%s: %s, want %s", name, got, wanted)
		}
	}
	receipt, isReceipt := deliver(t, `{"id":"evt_1","type":"receipt.updated","session_sequence":2,"test":true,
		"timestamp":"2026-03-01T10:15:33.412Z","data":{"status":"TELEPORTED","cost":{"amount":"3.20"}}}`).Data.(*ramz.Receipt)
	if !isReceipt || receipt.Status != "TELEPORTED" || receipt.Cost.Amount != "3.20" {
		t.Errorf("%v", receipt)
	}
}

// Whoever switches over the types reads there which there are.
func TestTheCommentOfDataNamesItsTypes(t *testing.T) {
	source := strings.TrimSpace(goCommand(t, ".", "list", "-f", "{{.Dir}}", modulePath+"/webhooks"))
	text, err := os.ReadFile(filepath.Join(source, "event.go"))
	must(t, err)
	generated, err := os.ReadFile(filepath.Join(source, "data_gen.go"))
	must(t, err)
	comment, _, _ := strings.Cut(string(text), "Data any")
	comment = comment[strings.LastIndex(comment, "// Data is"):]
	types := regexp.MustCompile(`new\((ramz\.\w+)\)`).FindAllStringSubmatch(string(generated), -1)
	if len(types) < 9 {
		t.Errorf("%q", types)
	}
	for _, found := range types {
		if !regexp.MustCompile(`\*` + found[1] + `\b`).MatchString(comment) {
			t.Errorf("*%s is missing in\n%s", found[1], comment)
		}
	}
}

func TestDataThatIsNullIsEmpty(t *testing.T) {
	body := []byte(`{"id":"evt_1","type":"receipt.updated","data":null}`)
	header, err := webhooks.Sign(body, "evt_1", time.Now(), secret)
	must(t, err)
	event, err := webhooks.Verify(body, header, secret)
	must(t, err)
	if receipt, isReceipt := event.Data.(*ramz.Receipt); !isReceipt || receipt.Status != "" {
		t.Errorf("%#v", event.Data)
	}
}

func TestEventOfTheFuture(t *testing.T) {
	event := deliver(t, `{"id":"evt_1","type":"phone.exploded","data":{"wings":[1,2]}}`)
	if raw, isRaw := event.Data.(json.RawMessage); !isRaw || string(raw) != `{"wings":[1,2]}` {
		t.Errorf("%T %v", event.Data, event.Data)
	}
	if event := deliver(t, `{"id":"evt_1","type":"receipt.updated"}`); event.Type != "receipt.updated" {
		t.Errorf("%v", event)
	}
}

func TestVerifyFailsClosed(t *testing.T) {
	body := []byte(`{"id":"evt_1"}`)
	header, err := webhooks.Sign(body, "evt_1", time.Now(), secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, secrets := range [][]string{nil, {""}, {"whsec_"}, {"whsec_*"}, {"whsec_c2hvcnQ="}, {"an example"}, {secret, ""}} {
		if event, err := webhooks.Verify(body, header, secrets...); !errors.Is(err, webhooks.ErrSecret) || event != nil {
			t.Errorf("%v: %v %v", secrets, event, err)
		}
	}
	notJSON := []byte("<html>")
	header, err = webhooks.Sign(notJSON, "evt_1", time.Now(), secret)
	if err != nil {
		t.Fatal(err)
	}
	var refused *webhooks.SignatureError
	if event, err := webhooks.Verify(notJSON, header, secret); event != nil || !errors.As(err, &refused) || refused.Reason != webhooks.ReasonMalformed {
		t.Errorf("%v %v", event, err)
	}
}

func TestAHeaderTwiceIsNone(t *testing.T) {
	body := []byte(`{"id":"evt_1"}`)
	for name, want := range map[string]webhooks.Reason{
		webhooks.HeaderID: webhooks.ReasonMalformed, webhooks.HeaderTimestamp: webhooks.ReasonMalformed, webhooks.HeaderSignature: webhooks.ReasonNoMatch,
	} {
		header, err := webhooks.Sign(body, "evt_1", time.Now(), secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, again := range []string{name, strings.ToLower(name)} {
			twice := header.Clone()
			twice[again] = append(twice[again], header.Get(name))
			var refused *webhooks.SignatureError
			if event, err := webhooks.Verify(body, twice, secret); event != nil || !errors.As(err, &refused) || refused.Reason != want {
				t.Errorf("%s: %v %v", again, event, err)
			}
		}
	}
}

func TestAToleranceThatIsNoneLetsNothingIn(t *testing.T) {
	body := []byte(`{"id":"evt_1"}`)
	for _, at := range []time.Time{time.Unix(0, 0), time.Now()} {
		header, err := webhooks.Sign(body, "evt_1", at, secret)
		must(t, err)
		for _, tolerance := range []time.Duration{-1, -time.Second, math.MinInt64} {
			verifier := webhooks.Verifier{Secrets: []string{secret}, Tolerance: tolerance}
			if event, err := verifier.Verify(body, header); event != nil || !errors.Is(err, webhooks.ErrTolerance) {
				t.Errorf("%v: %v %v", tolerance, event, err)
			}
		}
	}
	// The longest one is no overflow: 292 years.
	header, err := webhooks.Sign(body, "evt_1", time.Unix(0, 0), secret)
	must(t, err)
	for years, want := range map[int]bool{0: true, 291: true, 293: false} {
		now := time.Unix(0, 0).AddDate(years, 0, 0)
		verifier := webhooks.Verifier{Secrets: []string{secret}, Tolerance: math.MaxInt64, Now: func() time.Time { return now }}
		if event, err := verifier.Verify(body, header); (event != nil) != want {
			t.Errorf("%d years: %v", years, err)
		}
	}
	handler := webhooks.Handler(webhooks.Verifier{Secrets: []string{secret}, Tolerance: -1}, func(context.Context, *webhooks.Event) error { return nil })
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
	request.Header = header
	recorder := httptest.NewRecorder()
	if handler.ServeHTTP(recorder, request); recorder.Code != http.StatusInternalServerError {
		t.Errorf("%d: it must come again", recorder.Code)
	}
}
