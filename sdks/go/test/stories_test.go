package test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/ramztest"
)

// step of a story that the fake of every SDK plays; vectors/fake.json tells what its members mean.
type step struct {
	Operation      string          `json:"operation"`
	Arguments      json.RawMessage `json:"arguments"`
	IdempotencyKey string          `json:"idempotency_key"`
	Save           string          `json:"save"`
	Same           string          `json:"same"`
	Other          string          `json:"other"`
	Expect         map[string]any  `json:"expect"`
	Timeline       []string        `json:"timeline"`
	IDs            []string        `json:"ids"`
	Error          *struct {
		Kind              string            `json:"kind"`
		Code              ramz.ErrorCode    `json:"code"`
		Field             string            `json:"field"`
		RetryAfterSeconds float64           `json:"retry_after_seconds"`
		Details           map[string]string `json:"details"`
	} `json:"error"`
	AdvanceSeconds int       `json:"advance_seconds"`
	Refuse         *refusal  `json:"refuse"`
	Sent           *[]string `json:"sent"`
	Watch          string    `json:"watch"`
	CancelFirst    bool      `json:"cancel_after_first"`
	Updates        []struct {
		Status ramz.SessionStatus `json:"status"`
		New    []string           `json:"new"`
	} `json:"updates"`
}

type refusal struct {
	To   string
	Code ramz.ErrorCode
}

// tale is a fake, and what was kept of it.
type tale struct {
	fake   *ramztest.Fake
	client *ramz.Client
	now    time.Time
	saved  map[string]string
}

func TestStories(t *testing.T) {
	var file struct {
		Cases []struct {
			Name  string `json:"name"`
			Steps []step `json:"steps"`
		} `json:"cases"`
	}
	vectors(t, "fake.json", &file)
	for _, test := range file.Cases {
		t.Run(test.Name, func(t *testing.T) {
			own := &tale{fake: ramztest.New(), now: time.Now().Truncate(time.Second), saved: map[string]string{}}
			own.fake.Now = func() time.Time { return own.now }
			own.client = own.fake.Client()
			for index, step := range test.Steps {
				own.play(t, index+1, step)
			}
		})
	}
}

func (s *tale) play(t *testing.T, index int, step step) {
	t.Helper()
	switch {
	case step.AdvanceSeconds > 0:
		s.now = s.now.Add(time.Duration(step.AdvanceSeconds) * time.Second)
	case step.Refuse != nil:
		s.fake.Refuse(step.Refuse.To, step.Refuse.Code)
	case step.Sent != nil:
		var sent []string
		for _, request := range s.fake.Sent() {
			sent = append(sent, request.To)
		}
		if !slices.Equal(sent, *step.Sent) {
			t.Fatalf("step %d: %v", index, sent)
		}
	case step.Watch != "":
		s.watch(t, index, step)
	default:
		s.call(t, index, step)
	}
}

// id is what the text stands for: itself, or what was saved under its name.
func (s *tale) id(text string) string {
	if name, isSaved := strings.CutPrefix(text, "$"); isSaved {
		return s.saved[name]
	}
	return text
}

func (s *tale) call(t *testing.T, index int, step step) {
	t.Helper()
	arguments := string(step.Arguments)
	for name, id := range s.saved {
		arguments = strings.ReplaceAll(arguments, `"$`+name+`"`, `"`+id+`"`)
	}
	var options []ramz.CallOption
	if step.IdempotencyKey != "" {
		options = append(options, ramz.WithIdempotencyKey(step.IdempotencyKey))
	}
	answers, err := operate(t, s.client, step.Operation, json.RawMessage(arguments), options...)
	if step.Error != nil || err != nil {
		s.expectError(t, index, step, err)
		return
	}
	var ids []string
	for _, answer := range answers {
		value := asMap(t, answer)
		id, _ := value["id"].(string)
		ids = append(ids, id)
		for name, want := range step.Expect {
			if text, isText := want.(string); isText {
				want = s.id(text)
			}
			if got := at(value, name); !reflect.DeepEqual(got, want) {
				t.Errorf("step %d: %s is %v, not %v", index, name, got, want)
			}
		}
		if session, isSession := answer.(*ramz.Session); isSession && step.Timeline != nil && !slices.Equal(kindsOf(session.Timeline), step.Timeline) {
			t.Errorf("step %d: %v", index, kindsOf(session.Timeline))
		}
	}
	switch {
	case step.IDs != nil:
		for place, name := range step.IDs {
			step.IDs[place] = s.id(name)
		}
		if !slices.Equal(ids, step.IDs) {
			t.Errorf("step %d: %v", index, ids)
		}
	case step.Same != "" && ids[0] != s.saved[step.Same], step.Other != "" && ids[0] == s.saved[step.Other]:
		t.Errorf("step %d: %s", index, ids[0])
	}
	if step.Save != "" {
		s.saved[step.Save] = ids[0]
	}
}

func (s *tale) watch(t *testing.T, index int, step step) {
	t.Helper()
	count := 0
	for update, err := range s.client.Verify.Watch(t.Context(), s.id(step.Watch)) {
		if step.Error != nil || err != nil {
			s.expectError(t, index, step, err)
			return
		}
		if count == len(step.Updates) {
			t.Fatalf("step %d: more than %d updates", index, count)
		}
		want := step.Updates[count]
		if count++; update.Session.Status != want.Status || !slices.Equal(kindsOf(update.NewEntries), want.New) {
			t.Errorf("step %d: %v", index, update)
		}
		if step.CancelFirst && count == 1 {
			_, err := s.client.Verify.Cancel(t.Context(), update.Session.ID)
			must(t, err)
		}
	}
	if count != len(step.Updates) {
		t.Errorf("step %d: %d updates", index, count)
	}
}

func (s *tale) expectError(t *testing.T, index int, step step, err error) {
	t.Helper()
	want := step.Error
	var failure *ramz.Error
	if want == nil || !errors.As(err, &failure) {
		t.Fatalf("step %d: %v", index, err)
	}
	if string(failure.Kind) != want.Kind || failure.Code != want.Code || failure.Field != want.Field {
		t.Errorf("step %d: %v", index, err)
	}
	if want.RetryAfterSeconds != failure.RetryAfter.Seconds() {
		t.Errorf("step %d: %s", index, failure.RetryAfter)
	}
	for name, value := range want.Details {
		if failure.Details[name] != s.id(value) {
			t.Errorf("step %d: %v", index, failure.Details)
		}
	}
}

func kindsOf(timeline []ramz.TimelineEntry) []string {
	kinds := []string{}
	for _, entry := range timeline {
		kinds = append(kinds, string(entry.Kind))
	}
	return kinds
}
