package ramz

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// CallOption is a setting of one call.
type CallOption func(*callSettings)

// callSettings are those of one call; the client has some as a start.
type callSettings struct {
	idempotencyKey    string
	hasIdempotencyKey bool // One of the caller's, which may be empty by mistake.
	timeout           time.Duration
	totalTimeout      time.Duration
	hasTotalTimeout   bool
	maxRetries        int
	headers           []map[string]string // Of the client, then of the call: the later wins.
	hooks             []func(ResponseInfo)
}

// WithIdempotencyKey sets the key of a send or a check: a second call with the same key has no second effect, and the
// same response. Default: a new key for each call, kept across its repeats. 1 to 256 printable ASCII characters, no space at
// either end.
func WithIdempotencyKey(key string) CallOption {
	return func(s *callSettings) { s.idempotencyKey, s.hasIdempotencyKey = key, true }
}

// WithCallTimeout is [WithTimeout] for one call.
func WithCallTimeout(timeout time.Duration) CallOption {
	return func(s *callSettings) { s.timeout = timeout }
}

// WithCallTotalTimeout is [WithTotalTimeout] for one call.
func WithCallTotalTimeout(timeout time.Duration) CallOption {
	return func(s *callSettings) { s.totalTimeout, s.hasTotalTimeout = timeout, true }
}

// WithCallMaxRetries is [WithMaxRetries] for one call.
func WithCallMaxRetries(count int) CallOption { return func(s *callSettings) { s.maxRetries = count } }

// WithCallHeaders is [WithHeaders] for one call, beside those of the client; those of the call win.
func WithCallHeaders(headers map[string]string) CallOption {
	return func(s *callSettings) { s.headers = append(slices.Clip(s.headers), headers) }
}

// WithCallOnResponse is [WithOnResponse] for one call. The client's function is called first.
//
//	var header http.Header
//	session, err := client.Verify.Get(ctx, id, ramz.WithCallOnResponse(func(info ramz.ResponseInfo) { header = info.Header }))
func WithCallOnResponse(hook func(ResponseInfo)) CallOption {
	return func(s *callSettings) { s.hooks = append(slices.Clip(s.hooks), hook) }
}

// settingsFor this call, its idempotency key included: made once, it outlives every repeat.
func (c *core) settingsFor(op *operation, options []CallOption) (callSettings, *Error) {
	own := c.defaults
	for _, option := range options {
		option(&own)
	}
	problem := own.problem()
	switch key := own.idempotencyKey; {
	case problem != "" || !own.hasIdempotencyKey:
	case !op.idempotencyKey:
		problem = "this operation takes no idempotency key"
	case key == "" || len(key) > 256 || !isToken(strings.ReplaceAll(key, " ", "_")) || strings.Trim(key, " ") != key:
		// HTTP cuts spaces off the ends of a header: it would be another key.
		problem = "an idempotency key has 1 to 256 printable characters of ASCII, and no space at either end"
	}
	if problem != "" {
		return own, &Error{Kind: KindConfiguration, Operation: op.name, Message: problem}
	}
	if !own.hasIdempotencyKey && op.idempotencyKey {
		own.idempotencyKey = newKey()
	}
	if !own.hasTotalTimeout {
		own.totalTimeout = max(DefaultTotalTimeout, own.timeout)
	}
	return own, nil
}

// problem of the settings; empty: none.
func (s callSettings) problem() string {
	switch {
	case s.timeout <= 0:
		return "the timeout must be positive"
	case s.hasTotalTimeout && s.totalTimeout <= 0:
		return "the total timeout must be positive"
	case s.maxRetries < 0:
		return "the number of retries can't be negative"
	case slices.ContainsFunc(s.hooks, func(hook func(ResponseInfo)) bool { return hook == nil }):
		return "the function to call after each attempt is nil"
	}
	for _, headers := range s.headers {
		for name, value := range headers {
			switch {
			case !headerName.MatchString(name):
				return "a header has a name that HTTP does not allow"
			case slices.Contains(ownHeaders, strings.ToLower(name)):
				return "the header " + name + " is set by the client itself"
			case !isToken(strings.ReplaceAll(value, " ", "_")) || strings.Trim(value, " ") != value:
				return "the value of the header " + name + " must be printable ASCII, no space at either end"
			}
		}
	}
	return ""
}

// A token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

var ownHeaders = []string{
	"accept", "accept-encoding", "authorization", "connection", "connect-protocol-version", "content-length", "content-type",
	"host", "idempotency-key", "transfer-encoding", "user-agent",
}

// prepare the headers of a request.
func (c *core) prepare(header http.Header, own callSettings) {
	for _, headers := range own.headers {
		for name, value := range headers {
			header.Set(name, value)
		}
	}
	header.Set("User-Agent", c.userAgent)
	c.authorise(header)
}
