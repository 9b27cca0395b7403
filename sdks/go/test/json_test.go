package test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// What users write as JSON again, by encoding/json: to their own front end, into a cache, into a log.
func TestWritten(t *testing.T) {
	var file struct {
		Cases []struct {
			Name      string          `json:"name"`
			Operation string          `json:"operation"`
			Body      json.RawMessage `json:"body"`
		} `json:"cases"`
	}
	vectors(t, "written.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) {
			network := &network{replies: []reply{{Status: 200, Body: vector.Body}}}
			answers, err := operate(t, network.client(t), vector.Operation, json.RawMessage(`{"id":"vrf_1"}`))
			if err != nil {
				t.Fatal(err)
			}
			answer, want := answers[0], decoded(t, vector.Body)
			if got := decoded(t, encoded(t, answer)); !reflect.DeepEqual(got, want) {
				t.Errorf("%v\nwant %v", got, want)
			}
			nested := map[string]any{"answer": answer, "all": []any{reflect.ValueOf(answer).Elem().Interface()}}
			wantNested := map[string]any{"answer": want, "all": []any{want}}
			if got := decoded(t, encoded(t, nested)); !reflect.DeepEqual(got, wantNested) {
				t.Errorf("nested: %v\nwant %v", got, wantNested)
			}
			again := reflect.New(reflect.TypeOf(answer).Elem()).Interface()
			if err := json.Unmarshal(encoded(t, answer), again); err != nil || !reflect.DeepEqual(answer, again) {
				t.Errorf("read again: %v, %v", again, err)
			}
		})
	}
}

// A user's struct may hold answers by pointer or by value: they are copied and compared like any other value.
func TestWrittenInAStruct(t *testing.T) {
	type user struct {
		Last   ramz.Session       `json:"last"`
		Check  ramz.CheckResponse `json:"check"`
		Absent *ramz.Session      `json:"absent"`
	}
	session, check := &ramz.Session{ID: "vrf_1"}, &ramz.CheckResponse{ID: "vrf_1"}
	own := user{Last: *session, Check: *check}
	if other := *check; other != own.Check {
		t.Errorf("%v is another than %v", other, own.Check)
	}
	text := string(encoded(t, own))
	for _, want := range []string{`"id":"vrf_1"`, `"test":false`, `"valid":false`, `"absent":null`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing: %s", want, text)
		}
	}
	// What is absent is left out, and so is a list that was not loaded; an empty one is there.
	for _, absent := range []string{"created_at", "verified_at", "autofill", "messages", "0001-01-01"} {
		if strings.Contains(text, absent) {
			t.Errorf("%s is there: %s", absent, text)
		}
	}
	if text := string(encoded(t, ramz.Session{Messages: []ramz.Message{}})); !strings.Contains(text, `"messages":[]`) {
		t.Errorf("an empty list is left out: %s", text)
	}
	var again user
	if err := json.Unmarshal([]byte(text), &again); err != nil || !reflect.DeepEqual(again, own) {
		t.Errorf("read again: %v, %v", again, err)
	}
}

// Fields of the future are let through, as they are in answers.
func TestReadWithUnknownFields(t *testing.T) {
	var answer ramz.CheckResponse
	if err := json.Unmarshal([]byte(`{"valid":true,"brand_new":{"deep":1}}`), &answer); err != nil || !answer.Valid {
		t.Errorf("%v, %v", answer.Valid, err)
	}
	if err := json.Unmarshal([]byte(`{"valid":"yes"}`), &answer); err == nil {
		t.Error("a text was taken for a truth value")
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
