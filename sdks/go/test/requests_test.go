package test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

func TestRequests(t *testing.T) {
	var file struct {
		Cases []struct {
			Name      string          `json:"name"`
			Operation string          `json:"operation"`
			Arguments json.RawMessage `json:"arguments"`
			Expect    struct {
				Method         string          `json:"method"`
				Target         string          `json:"target"`
				Body           json.RawMessage `json:"body"`
				Bytes          int             `json:"bytes"`
				IdempotencyKey bool            `json:"idempotency_key"`
			} `json:"expect"`
		} `json:"cases"`
	}
	vectors(t, "requests.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) {
			network := &network{replies: []reply{{Status: 200, Body: answerTo(t, vector.Arguments)}}}
			if _, err := operate(t, network.client(t), vector.Operation, vector.Arguments); err != nil {
				t.Fatal(err)
			}
			call, expect := network.calls[0], vector.Expect
			if call.method != expect.Method || call.target != expect.Target {
				t.Errorf("%s %s, want %s %s", call.method, call.target, expect.Method, expect.Target)
			}
			if !isSameJSON(t, call.body, string(expect.Body)) {
				t.Errorf("body %s, want %s", call.body, expect.Body)
			}
			if expect.Bytes != 0 && len(call.body) != expect.Bytes {
				t.Errorf("a body of %d bytes, want %d: %s", len(call.body), expect.Bytes, call.body)
			}
			if key := call.header.Get("Idempotency-Key"); (len(key) > 20) != expect.IdempotencyKey {
				t.Errorf("idempotency key %q", key)
			}
			if got := call.header.Get("Authorization"); got != "Bearer "+exampleKey {
				t.Errorf("authorization %q", got)
			}
			if isJSON := call.header.Get("Content-Type") == "application/json"; isJSON != (expect.Body != nil) {
				t.Errorf("content type %q", call.header.Get("Content-Type"))
			}
		})
	}
}

// answerTo whatever was asked: with the ids that it names.
func answerTo(t *testing.T, arguments json.RawMessage) json.RawMessage {
	t.Helper()
	asked := struct {
		ID      string `json:"id"`
		EventID string `json:"event_id,omitempty"`
	}{ID: "vrf_1"}
	must(t, json.Unmarshal(arguments, &asked))
	body, err := json.Marshal(asked)
	must(t, err)
	return body
}

func isSameJSON(t *testing.T, got, want string) bool {
	t.Helper()
	if got == "" || want == "" {
		return got == want
	}
	var left, right any
	for text, into := range map[string]*any{got: &left, want: &right} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if got == want {
		return true
	}
	return reflect.DeepEqual(left, right)
}

func TestTimestamps(t *testing.T) {
	var file struct {
		Cases []struct {
			Text    string `json:"text"`
			UnixMs  int64  `json:"unix_ms"`
			Written string `json:"written"`
		} `json:"cases"`
	}
	vectors(t, "timestamps.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Text, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"id": "vrf_1", "created_at": vector.Text})
			if err != nil {
				t.Fatal(err)
			}
			network := &network{replies: []reply{{Status: 200, Body: body}, {Status: 200, Body: json.RawMessage("{}")}, {Status: 200, Body: json.RawMessage(`{"id":"key_1"}`)}}}
			client := network.client(t)
			session, err := client.Verify.Get(t.Context(), "vrf_1")
			if err != nil {
				t.Fatal(err)
			}
			instant := session.CreatedAt
			if got := instant.UnixMilli(); got != vector.UnixMs {
				t.Errorf("read as %d, want %d", got, vector.UnixMs)
			}
			for _, err := range client.Verify.List(t.Context(), &ramz.ListSessionsRequest{CreatedAfter: instant}) {
				t.Fatal(err)
			}
			target := "/v1/verify/sessions?created_after=" + escaped(vector.Written)
			if got := network.calls[1].target; got != target {
				t.Errorf("asked for %s, want %s", got, target)
			}
			if _, err := client.APIKeys.Create(t.Context(), &ramz.CreateAPIKeyRequest{ExpiresAt: session.CreatedAt}); err != nil {
				t.Fatal(err)
			}
			var sent struct {
				ExpiresAt time.Time `json:"expires_at"`
			}
			if err := json.Unmarshal([]byte(network.calls[2].body), &sent); err != nil {
				t.Fatal(err)
			}
			if got := sent.ExpiresAt.UnixNano(); got != vector.UnixMs*1e6 {
				t.Errorf("written into a body as %d", got)
			}
		})
	}
}

// What is absent is not sent; what is given is, even where it is empty.
func TestWhatIsSent(t *testing.T) {
	paris := time.FixedZone("", 3600)
	for name, test := range map[string]struct {
		call func(*ramz.Client) error
		want string
	}{
		"nothing": {
			func(client *ramz.Client) error {
				_, err := client.Accounts.Update(t.Context(), &ramz.UpdateAccountRequest{})
				return err
			},
			`{}`,
		},
		"what is empty": {
			func(client *ramz.Client) error {
				_, err := client.Accounts.Update(t.Context(), &ramz.UpdateAccountRequest{
					DefaultSenderID: ramz.Ptr(""), InCountryOnly: ramz.Ptr(false), Cascade: []ramz.CascadeLeg{},
					Autofill: &ramz.RegisterAutofill{AndroidApps: []ramz.AndroidApp{}},
				})
				return err
			},
			`{"default_sender_id":"","cascade":[],"in_country_only":false,"autofill":{"android_apps":[]}}`,
		},
		"a copy of an answer": {
			func(client *ramz.Client) error {
				session := ramz.Session{Cascade: []ramz.CascadeLeg{{Channel: "sms", TimeoutSeconds: 15}, {Channel: "voice"}}, Autofill: &ramz.Autofill{}}
				_, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: "+213550000001", Cascade: session.Cascade, Autofill: session.Autofill})
				return err
			},
			`{"to":"+213550000001","cascade":[{"channel":"sms","timeout_seconds":15},{"channel":"voice"}],"autofill":{}}`,
		},
		"a time of another zone, finer than milliseconds": {
			func(client *ramz.Client) error {
				_, err := client.APIKeys.Create(t.Context(), &ramz.CreateAPIKeyRequest{ExpiresAt: time.Date(2026, 3, 1, 11, 15, 30, 412_999_999, paris)})
				return err
			},
			`{"expires_at":"2026-03-01T10:15:30.412Z"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			network := &network{replies: []reply{{Status: 200, Body: json.RawMessage(`{"id":"vrf_1"}`)}}}
			must(t, test.call(network.client(t)))
			if got := network.calls[0].body; got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	network := &network{}
	_, err := network.client(t).Verify.Send(t.Context(), &ramz.SendRequest{Cascade: []ramz.CascadeLeg{{}, {Channel: "\xff"}}})
	expectField(t, err, "cascade[1].channel")
}
