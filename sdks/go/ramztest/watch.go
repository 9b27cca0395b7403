package ramztest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/internal/envelope"
	"github.com/ramz-verify/ramz/sdks/go/internal/rpcstatus"
)

// watchPath is that of the one operation that is a stream, by the Connect protocol.
const watchPath = "POST /ramz.v1.VerifyService/WatchSession"

// watch writes the session after every change, until it is over.
func (f *Fake) watch(response http.ResponseWriter, request *http.Request) {
	var asked struct {
		ID string `json:"id"`
	}
	response.Header().Set("Content-Type", envelope.ContentType)
	_, message, err := envelope.Read(request.Body, 1<<20)
	if err != nil || json.Unmarshal(message, &asked) != nil {
		end(response, refusal(ramz.ErrorCodeMalformedRequest))
		return
	}
	for seen := 0; ; {
		state, changed, code := f.look(asked.ID)
		if code != "" {
			end(response, refusal(code))
			return
		}
		update := &ramz.WatchSessionResponse{Session: state, NewEntries: state.Timeline[seen:]}
		if _, err := response.Write(envelope.Of(0, encoded(update))); err != nil {
			return // Its reader has gone.
		}
		seen = len(state.Timeline)
		if state.Status != ramz.SessionStatusPending {
			end(response, map[string]any{})
			return
		}
		select {
		case <-request.Context().Done():
			return
		case <-changed:
		}
	}
}

func end(response http.ResponseWriter, message any) {
	_, _ = response.Write(envelope.Of(envelope.EndOfStream, encoded(message))) // The reader may have gone.
}

// look at the session, and at what closes when it changes; or the code of the refusal.
func (f *Fake) look(id string) (state *ramz.Session, changed <-chan struct{}, code ramz.ErrorCode) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if code := f.failing["verify.watch"]; code != "" {
		return nil, nil, code
	}
	own := f.find(func(s *ramz.Session) bool { return s.ID == id })
	if own == nil {
		return nil, nil, ramz.ErrorCodeSessionNotFound
	}
	return as[ramz.Session](own.state), own.changed, ""
}

// refusal is an error as the service ends a stream with it.
func refusal(code ramz.ErrorCode) map[string]any {
	detail := base64.RawStdEncoding.EncodeToString(rpcstatus.Detail(string(code)))
	return map[string]any{"error": map[string]any{
		"code":    "unknown",
		"message": "the fake says so",
		"details": []map[string]string{{"type": "google.rpc.ErrorInfo", "value": detail}},
	}}
}

// encoded as the service writes it.
func encoded(message any) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // It was read from JSON, or made here.
	}
	return text
}

// as makes another struct of a message, by the fields that both have. They share nothing.
func as[Other any](message any) *Other {
	result := new(Other)
	if err := json.Unmarshal(encoded(message), result); err != nil {
		panic(err) // It was written a moment ago.
	}
	return result
}
