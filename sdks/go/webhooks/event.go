package webhooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// DefaultTolerance is how far the receiver's clock may be from the sender's.
const DefaultTolerance = 5 * time.Minute

// Event is a callback that is genuine.
type Event struct {
	// ID is the same on every delivery of the event: what was seen before can be left out.
	ID string `json:"id"`
	// Type is one of the constants of [ramz.EventType], or one that this module does not know yet.
	Type       ramz.EventType `json:"type"`
	APIVersion string         `json:"api_version"`
	AccountID  string         `json:"account_id"`
	// Test tells that it happened in test mode.
	Test bool `json:"test"`
	// SessionSequence is its place among the events of its session, from 1; 0 where it is about no session. Deliveries
	// may overtake each other.
	SessionSequence int       `json:"session_sequence"`
	Timestamp       time.Time `json:"timestamp"`
	// Data is the struct that goes with the type, by its pointer: *ramz.Receipt, *ramz.MessageEvent, *ramz.SessionEvent,
	// *ramz.NumberEvent, *ramz.AnomalyEvent, *ramz.SenderIDEvent, *ramz.WABAEvent, *ramz.EndpointEvent or *ramz.BudgetEvent.
	// Of a type that this module does not know yet it is the [json.RawMessage] as it came.
	Data any `json:"-"`
	// RawData is the data as it came, of every type.
	RawData json.RawMessage `json:"data"`
}

// Verifier verifies callbacks. Its zero value refuses all: it needs Secrets.
type Verifier struct {
	// Secrets of the endpoint: one, or two while it is changed.
	Secrets []string
	// Tolerance is how far the clocks may be apart, in whole seconds. Default: [DefaultTolerance]. A negative one lets
	// nothing in: see [ErrTolerance].
	Tolerance time.Duration
	// Now is the receiver's clock. Default: [time.Now].
	Now func() time.Time
}

// Verify checks the signature over the raw body, and reads the event. What is not genuine is a [*SignatureError], a secret
// that is none [ErrSecret].
func Verify(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return Verifier{Secrets: secrets}.Verify(body, header)
}

// Verify is like [Verify].
func (v Verifier) Verify(body []byte, header http.Header) (*Event, error) {
	keys, err := keysOf(v.Secrets)
	if err != nil {
		return nil, err
	}
	now, tolerance := v.Now, v.Tolerance
	if now == nil {
		now = time.Now
	}
	switch {
	case tolerance < 0:
		return nil, ErrTolerance
	case tolerance == 0:
		tolerance = DefaultTolerance
	}
	if err := check(keys, body, header, now(), tolerance); err != nil {
		return nil, err
	}
	return read(body)
}

func read(body []byte) (*Event, error) {
	event := new(Event)
	if err := readObject(body, event); err != nil {
		return nil, &SignatureError{Reason: ReasonMalformed, cause: err}
	}
	event.Data = event.RawData
	data := newData(event.Type)
	if data == nil || len(event.RawData) == 0 {
		return event, nil
	}
	// Null is as good as missing.
	if err := readObject(event.RawData, data); err != nil && string(event.RawData) != "null" {
		return nil, &SignatureError{Reason: ReasonMalformed, cause: fmt.Errorf("the data of %s: %w", event.Type, err)}
	}
	event.Data = data
	return event, nil
}

// readObject is json.Unmarshal for a pointer to a struct. That would take null for an empty one.
func readObject(text []byte, into any) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return errors.New("not a JSON object")
	}
	return json.Unmarshal(text, into)
}
