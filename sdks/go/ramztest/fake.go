package ramztest

import (
	"net/http"
	"slices"
	"sync"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// Code is the right code of every session with the usual six digits. One of another length has as many zeros.
const Code = "000000"

// Fake is one Ramz in memory. It is safe for use by several goroutines.
type Fake struct {
	mux *http.ServeMux
	// Now is the fake's clock. Default: [time.Now]. Set it before the first call.
	Now func() time.Time

	mutex    sync.Mutex
	sent     []ramz.SendRequest
	sessions []*session // Oldest first.
	refused  map[string]ramz.ErrorCode
	failing  map[string]ramz.ErrorCode
	answers  map[string][]byte
	kept     map[string]kept // By idempotency key.
}

// New makes a fake without sessions.
func New() *Fake {
	fake := &Fake{
		Now:     time.Now,
		refused: map[string]ramz.ErrorCode{},
		failing: map[string]ramz.ErrorCode{},
		answers: map[string][]byte{},
		kept:    map[string]kept{},
	}
	fake.mux = fake.routes()
	return fake
}

// Client makes a client of this fake. Options come on top: WithMaxRetries, say. It fails a test by panicking when they
// make no client.
func (f *Fake) Client(options ...ramz.Option) *ramz.Client {
	own := []ramz.Option{
		ramz.WithAPIKey("ramz_test_fake"),
		ramz.WithBaseURL("http://ramz.invalid"),
		ramz.WithHTTPClient(f.HTTPClient()),
		ramz.WithMaxRetries(0),
	}
	client, err := ramz.NewClient(append(own, options...)...)
	if err != nil {
		panic(err)
	}
	return client
}

// HTTPClient is for programs that make the client themselves: whatever it asks, the fake answers.
func (f *Fake) HTTPClient() *http.Client { return &http.Client{Transport: transport{f.mux}} }

// Sent is what was sent, resends included, oldest first.
func (f *Fake) Sent() []ramz.SendRequest {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return slices.Clone(f.sent)
}

// now is in whole milliseconds, which is what the service keeps.
func (f *Fake) now() time.Time { return f.Now().UTC().Truncate(time.Millisecond) }

// Refuse answers every send to the number with the error code, such as ramz.ErrorCodeInvalidPhoneNumber. An empty code
// takes that back.
func (f *Fake) Refuse(number string, code ramz.ErrorCode) { f.set(f.refused, number, code) }

// Fail answers every call of the operation, such as verify.check, with the error code. An empty code takes that back.
func (f *Fake) Fail(operation string, code ramz.ErrorCode) { f.set(f.failing, operation, code) }

func (f *Fake) set(codes map[string]ramz.ErrorCode, key string, code ramz.ErrorCode) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if code == "" {
		delete(codes, key)
		return
	}
	codes[key] = code
}

// Answer sets what the operation, such as accounts.get, answers: the struct that the client's method returns, such as
// ramz.Account; of a list the page, such as ramz.ListAPIKeysResponse. Ids that it leaves out are filled in. It panics at what
// JSON can't hold.
func (f *Fake) Answer(operation string, answer any) {
	text := encoded(answer)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.answers[operation] = text
}
