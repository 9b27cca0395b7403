package ramztest

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"github.com/ramz-verify/ramz/sdks/go/ramzv1/ramzv1connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// fault is an error that the fake answers.
type fault struct {
	code, field string
	details     map[string]string
	retryAfter  time.Duration
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
			body, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(answer)
			if err != nil {
				panic(err) // It was read from JSON, or made here.
			}
			write(response, http.StatusOK, body)
		})
	}
	mux.Handle(ramzv1connect.NewVerifyServiceHandler(watcher{fake: f}))
	return mux
}

func (f *Fake) answer(operation string, request *http.Request) (proto.Message, *fault) {
	if code := f.failing[operation]; code != "" {
		return nil, &fault{code: code}
	}
	if answer := f.answers[operation]; answer != nil {
		return withIDs(answer, request), nil
	}
	switch operation {
	case "accounts.get":
		return &ramz.Account{Id: "acct_fake", Name: "Fake", Language: ramz.LanguageAr}, nil
	case "verify.send":
		return answered(f, request, new(ramz.SendRequest), f.send)
	case "verify.check":
		return answered(f, request, new(ramz.CheckRequest), f.check)
	case "verify.get":
		own := f.find(func(s *ramz.Session) bool { return s.Id == request.PathValue("id") })
		if own == nil {
			return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
		}
		return own.state, nil
	case "verify.cancel":
		state, refused := f.cancel(request.PathValue("id"))
		if refused != nil {
			return nil, refused
		}
		return state, nil
	case "verify.list":
		return f.list(request.URL.Query())
	}
	return nil, &fault{code: ramz.ErrorCodeUnimplemented}
}

// withIDs fills in what a test need not say: the client takes no answer without.
func withIDs(answer proto.Message, request *http.Request) proto.Message {
	filled := proto.Clone(answer)
	message := filled.ProtoReflect()
	for _, name := range []protoreflect.Name{"id", "event_id"} {
		field := message.Descriptor().Fields().ByName(name)
		if field == nil || message.Has(field) {
			continue
		}
		value := request.PathValue(string(name))
		if value == "" {
			value = "fake"
		}
		message.Set(field, protoreflect.ValueOfString(value))
	}
	return filled
}

// kept is what was answered to a call with an idempotency key.
type kept struct {
	request string
	answer  proto.Message
}

// answered reads the body, strictly as the service does, and has it handled: once for each idempotency key.
func answered[Request, Answer proto.Message](f *Fake, request *http.Request, message Request, handle func(Request) (Answer, *fault)) (proto.Message, *fault) {
	body, err := io.ReadAll(request.Body)
	if err != nil || protojson.Unmarshal(body, message) != nil {
		return nil, &fault{code: ramz.ErrorCodeMalformedRequest}
	}
	// Not the body: protojson puts spaces in it as it likes.
	canonical, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		panic(err) // It was read a moment ago.
	}
	key, content := request.Header.Get("Idempotency-Key"), request.URL.Path+" "+string(canonical)
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
	f.kept[key] = kept{content, proto.Clone(answer)}
	return answer, nil
}

// list has page tokens that tell how many came before.
func (f *Fake) list(query url.Values) (proto.Message, *fault) {
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
			listed := proto.Clone(state).(*ramz.Session)
			listed.Messages, listed.Timeline = nil, nil
			answer.Sessions = append(answer.Sessions, listed)
		}
		return false
	})
	return answer, nil
}

func fits(state *ramz.Session, query url.Values) bool {
	for name, value := range map[string]string{
		"to": state.To, "status": state.Status, "client_reference": state.ClientReference,
	} {
		if wanted := query.Get(name); wanted != "" && wanted != value {
			return false
		}
	}
	after, err := time.Parse(time.RFC3339Nano, query.Get("created_after"))
	if err == nil && ramz.Time(state.CreatedAt).Before(after) {
		return false
	}
	before, err := time.Parse(time.RFC3339Nano, query.Get("created_before"))
	return err != nil || ramz.Time(state.CreatedAt).Before(before)
}

func writeFault(response http.ResponseWriter, refused *fault) {
	rules, isKnown := codes.RulesOf(refused.code)
	if !isKnown {
		rules.Status = http.StatusBadRequest
	}
	about := map[string]string{"code": refused.code, "message": "the fake says so", "request_id": newID("req_")}
	maps.Copy(about, refused.details)
	if refused.retryAfter > 0 {
		response.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.retryAfter.Seconds()))))
	}
	if refused.field != "" {
		about["field"] = refused.field
	}
	body, err := json.Marshal(map[string]any{"error": about})
	if err != nil {
		panic(err) // Strings always can be written.
	}
	write(response, rules.Status, body)
}

func write(response http.ResponseWriter, status int, body []byte) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	_, _ = response.Write(body) // The reader may have gone.
}
