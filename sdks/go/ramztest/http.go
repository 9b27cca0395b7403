package ramztest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"github.com/ramz-verify/ramz/sdks/go/internal/fields"
)

// fault is an error that the fake answers.
type fault struct {
	code       ramz.ErrorCode
	field      string
	details    map[string]string
	retryAfter time.Duration
}

// routes are those of the contract; the stream has its own protocol.
func (f *Fake) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route.pattern, func(response http.ResponseWriter, request *http.Request) {
			f.mutex.Lock()
			defer f.mutex.Unlock()
			answer, refused := f.answer(route.operation, request)
			if refused != nil {
				writeFault(response, refused)
				return
			}
			write(response, http.StatusOK, answer)
		})
	}
	mux.HandleFunc(watchPath, f.watch)
	return mux
}

// answer is the body of a success.
func (f *Fake) answer(operation string, request *http.Request) ([]byte, *fault) {
	if code := f.failing[operation]; code != "" {
		return nil, &fault{code: code}
	}
	if answer := f.answers[operation]; answer != nil {
		return withIDs(answer, request), nil
	}
	switch operation {
	case "accounts.get":
		return encoded(ramz.Account{ID: "acct_fake", Name: "Fake", Language: ramz.LanguageAr}), nil
	case "verify.send":
		return answered(f, request, f.send)
	case "verify.check":
		return answered(f, request, f.check)
	case "verify.get":
		own := f.find(func(s *ramz.Session) bool { return s.ID == request.PathValue("id") })
		if own == nil {
			return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
		}
		return encoded(own.state), nil
	case "verify.cancel":
		state, refused := f.cancel(request.PathValue("id"))
		if refused != nil {
			return nil, refused
		}
		return encoded(state), nil
	case "verify.report":
		return answered(f, request, func(report *ramz.ReportSessionRequest) (*ramz.Session, *fault) {
			return f.report(request.PathValue("id"), report.Outcome)
		})
	case "verify.list":
		query := request.URL.Query()
		if query.Has("to") {
			to, malformed := numberOf(query.Get("to"))
			if malformed != nil {
				return nil, malformed
			}
			query.Set("to", to)
		}
		return encoded(f.list(query)), nil
	}
	return nil, &fault{code: ramz.ErrorCodeUnimplemented}
}

// withIDs fills in what a test need not say: the client takes no answer without.
func withIDs(answer []byte, request *http.Request) []byte {
	var filled map[string]any
	if json.Unmarshal(answer, &filled) != nil {
		return answer
	}
	for _, name := range []string{"id", "event_id"} {
		if filled[name] != "" {
			continue // It is there, or there is no such field.
		}
		if filled[name] = request.PathValue(name); filled[name] == "" {
			filled[name] = "fake"
		}
	}
	return encoded(filled)
}

// kept is what was answered to a call with an idempotency key.
type kept struct {
	request string
	answer  []byte
}

// answered reads the body, strictly as the service does, and has it handled: once for each idempotency key.
func answered[Request, Answer any](f *Fake, request *http.Request, handle func(*Request) (*Answer, *fault)) ([]byte, *fault) {
	message := new(Request)
	body, err := io.ReadAll(request.Body)
	reader := json.NewDecoder(bytes.NewReader(body))
	reader.DisallowUnknownFields()
	if err != nil || reader.Decode(message) != nil {
		return nil, &fault{code: ramz.ErrorCodeMalformedRequest}
	}
	// The client writes the same request in the same way.
	key, content := request.Header.Get("Idempotency-Key"), request.URL.Path+" "+string(body)
	if before, isKept := f.kept[key]; isKept && key != "" {
		if before.request != content {
			return nil, &fault{code: ramz.ErrorCodeIdempotencyKeyReused}
		}
		return before.answer, nil
	}
	answer, refused := handle(message)
	if refused != nil {
		return nil, refused
	}
	text := encoded(answer)
	f.kept[key] = kept{content, text}
	return text, nil
}

// list has page tokens that tell how many came before.
func (f *Fake) list(query url.Values) *ramz.ListSessionsResponse {
	offset, _ := strconv.Atoi(query.Get("page_token"))
	size, err := strconv.Atoi(query.Get("page_size"))
	if err != nil {
		size = usualPerPage
	}
	answer := new(ramz.ListSessionsResponse)
	f.find(func(state *ramz.Session) bool {
		switch {
		case !fits(state, query):
		case offset > 0:
			offset--
		case len(answer.Sessions) == size:
			before, _ := strconv.Atoi(query.Get("page_token"))
			answer.NextPageToken = strconv.Itoa(before + size)
			return true
		default:
			answer.Sessions = append(answer.Sessions, *as[ramz.SessionSummary](state))
		}
		return false
	})
	return answer
}

// fits tells whether the session passes the filters. Those but of time are fields of it.
func fits(state *ramz.Session, query url.Values) bool {
	for name := range query {
		if field := fields.Of(state, name); field.Kind() == reflect.String && field.String() != query.Get(name) {
			return false
		}
	}
	after, err := time.Parse(time.RFC3339Nano, query.Get("created_after"))
	if err == nil && state.CreatedAt.Before(after) {
		return false
	}
	before, err := time.Parse(time.RFC3339Nano, query.Get("created_before"))
	return err != nil || state.CreatedAt.Before(before)
}

func writeFault(response http.ResponseWriter, refused *fault) {
	rules, isKnown := codes.RulesOf(string(refused.code))
	if !isKnown {
		rules.Status = http.StatusBadRequest
	}
	about := map[string]string{"code": string(refused.code), "message": "the fake says so", "request_id": newID("req_")}
	maps.Copy(about, refused.details)
	if refused.retryAfter > 0 {
		response.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.retryAfter.Seconds()))))
	}
	if refused.field != "" {
		about["field"] = refused.field
	}
	write(response, rules.Status, encoded(map[string]any{"error": about}))
}

func write(response http.ResponseWriter, status int, body []byte) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	_, _ = response.Write(body) // The reader may have gone.
}
