package test

import (
	"encoding/json"
	"reflect"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
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
			nested := map[string]any{"answer": answer, "all": []proto.Message{answer}}
			wantNested := map[string]any{"answer": want, "all": []any{want}}
			if got := decoded(t, encoded(t, nested)); !reflect.DeepEqual(got, wantNested) {
				t.Errorf("nested: %v\nwant %v", got, wantNested)
			}
			again := answer.ProtoReflect().New().Interface()
			if err := json.Unmarshal(encoded(t, answer), again); err != nil || !proto.Equal(answer, again) {
				t.Errorf("read again: %v, %v", again, err)
			}
		})
	}
}

// A user's struct may hold messages by pointer or by value, as long as it is itself given by pointer: Go finds the method
// of a value where the value has an address.
func TestWrittenInAStruct(t *testing.T) {
	type user struct {
		Last   *ramz.Session      `json:"last"`
		Check  ramz.CheckResponse `json:"check"`
		Absent *ramz.Session      `json:"absent"`
	}
	text := encoded(t, &user{Last: &ramz.Session{Id: "vrf_1"}})
	got, _ := decoded(t, text).(map[string]any)
	check, _ := got["check"].(map[string]any)
	last, _ := got["last"].(map[string]any)
	if valid, isThere := check["valid"]; !isThere || valid != false {
		t.Errorf("valid is missing: %s", text)
	}
	if messages, _ := last["messages"].([]any); last["id"] != "vrf_1" || last["test"] != false || messages == nil {
		t.Errorf("the session is not whole: %s", text)
	}
	if got["absent"] != nil {
		t.Errorf("a session that is not there: %s", text)
	}
	var again user
	if err := json.Unmarshal(text, &again); err != nil || again.Last.GetId() != "vrf_1" || again.Absent != nil {
		t.Errorf("read again: %v, %v", again.Last, err)
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

// Every message that users can name is written so.
func TestEveryMessageIsWritten(t *testing.T) {
	contract := (&ramz.Session{}).ProtoReflect().Descriptor().ParentFile().Package()
	count := 0
	protoregistry.GlobalTypes.RangeMessages(func(kind protoreflect.MessageType) bool {
		if kind.Descriptor().ParentFile().Package() != contract {
			return true
		}
		count++
		message := kind.New().Interface()
		if _, isMarshaler := message.(json.Marshaler); !isMarshaler {
			t.Errorf("%T is written by reflection", message)
		}
		if _, isUnmarshaler := message.(json.Unmarshaler); !isUnmarshaler {
			t.Errorf("%T is read by reflection", message)
		}
		return true
	})
	if count < 50 {
		t.Errorf("only %d messages", count)
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
