package ramz

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Environment variables that [NewClient] reads where an option is not given.
const (
	EnvAPIKey  = "RAMZ_API_KEY"
	EnvBaseURL = "RAMZ_BASE_URL"
)

// Defaults of the options.
const (
	DefaultTimeout    = 10 * time.Second
	DefaultMaxRetries = 2
)

// Option is a setting of a [Client].
type Option func(*settings)

type settings struct {
	apiKey     string
	baseURL    string
	timeout    time.Duration
	maxRetries int
	httpClient *http.Client
}

// WithAPIKey gives the key to call with. Default: the environment variable RAMZ_API_KEY. The admin token goes here too,
// for a client that makes accounts or decides about sender names.
func WithAPIKey(key string) Option { return func(s *settings) { s.apiKey = key } }

// WithBaseURL gives the service's address, such as https://verify.example; a path in it is kept. Default: the environment
// variable RAMZ_BASE_URL.
func WithBaseURL(address string) Option { return func(s *settings) { s.baseURL = address } }

// WithTimeout bounds each try of a call. Default 10 s. The caller's context bounds the call with all its tries.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithMaxRetries says how often a call is repeated at most. Default 2; 0: never.
func WithMaxRetries(count int) Option { return func(s *settings) { s.maxRetries = count } }

// WithHTTPClient gives the client that calls go through, with proxies and certificates as you need them. A copy is
// used: redirects are not followed, whatever it says, and its Timeout does not end streams.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.httpClient = client } }

// NewClient makes a client. Without a key or an address it answers an error with [ErrConfiguration]; nothing is sent.
func NewClient(options ...Option) (*Client, error) {
	own := settings{
		apiKey:     os.Getenv(EnvAPIKey),
		baseURL:    os.Getenv(EnvBaseURL),
		timeout:    DefaultTimeout,
		maxRetries: DefaultMaxRetries,
		httpClient: http.DefaultClient,
	}
	for _, option := range options {
		option(&own)
	}
	base, err := checked(own)
	if err != nil {
		return nil, err
	}
	unary, stream := *own.httpClient, *own.httpClient
	unary.CheckRedirect, stream.CheckRedirect = stay, stay
	stream.Timeout = 0
	key := own.apiKey
	return newClient(&core{
		baseURL: base,
		// A function, because printing shows no function's variables: a client in a log does not give the key away.
		authorise:  func(header http.Header) { header.Set("Authorization", "Bearer "+key) },
		mask:       func(text string) string { return strings.ReplaceAll(text, key, "***") },
		timeout:    own.timeout,
		maxRetries: own.maxRetries,
		unary:      &unary,
		stream:     &stream,
	}), nil
}

// stay keeps the key from wandering: the redirect itself is the answer, which is an error.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// checked returns the address without a slash at its end. No message shows the key.
func checked(own settings) (string, error) {
	switch {
	case own.apiKey == "":
		return "", misconfigured("no API key: use WithAPIKey or set " + EnvAPIKey)
	case !isToken(own.apiKey):
		return "", misconfigured("the API key holds spaces, line ends or other characters that no key has")
	case own.baseURL == "":
		return "", misconfigured("no address: use WithBaseURL or set " + EnvBaseURL)
	case own.timeout <= 0:
		return "", misconfigured("the timeout must be positive")
	case own.maxRetries < 0:
		return "", misconfigured("the number of retries can't be negative")
	case own.httpClient == nil:
		return "", misconfigured("the HTTP client is nil")
	}
	address, err := url.Parse(own.baseURL)
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return "", misconfigured("the address must be absolute, with http or https: https://verify.example")
	}
	if address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return "", misconfigured("the address can have neither a user, nor a query, nor a fragment")
	}
	return strings.TrimRight(address.String(), "/"), nil
}

// isToken tells whether text is printable ASCII without spaces: it fits a header.
func isToken(text string) bool {
	for _, char := range text {
		if char <= ' ' || char > '~' {
			return false
		}
	}
	return true
}

// CallOption is a setting of one call.
type CallOption func(*callSettings)

type callSettings struct {
	idempotencyKey string
	timeout        time.Duration
	maxRetries     int
}

// WithIdempotencyKey gives the key of a send or a check: a second call with the same key has no second effect, and the
// same answer. Default: a new key per call, kept across its retries. At most 256 printable characters of ASCII.
func WithIdempotencyKey(key string) CallOption {
	return func(s *callSettings) { s.idempotencyKey = key }
}

// WithCallTimeout bounds each try of this call, in place of the client's timeout.
func WithCallTimeout(timeout time.Duration) CallOption {
	return func(s *callSettings) { s.timeout = timeout }
}

// WithCallMaxRetries is the client's number of retries for this call.
func WithCallMaxRetries(count int) CallOption { return func(s *callSettings) { s.maxRetries = count } }
