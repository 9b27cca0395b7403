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
	DefaultTimeout      = 10 * time.Second
	DefaultTotalTimeout = 20 * time.Second
	DefaultMaxRetries   = 2
)

// Option is a setting of a [Client].
type Option func(*settings)

type settings struct {
	apiKey     string
	baseURL    string
	userAgent  string
	httpClient *http.Client
	call       callSettings
}

// WithAPIKey sets the API key. Default: the environment variable RAMZ_API_KEY. The admin token goes here too, for a client
// that creates accounts or decides about sender names.
func WithAPIKey(key string) Option { return func(s *settings) { s.apiKey = key } }

// WithBaseURL sets the address of the service, such as https://verify.example; a path in it is kept. Default: the environment
// variable RAMZ_BASE_URL.
func WithBaseURL(address string) Option { return func(s *settings) { s.baseURL = address } }

// WithTimeout limits the time of each attempt of a call. Default 10 s.
func WithTimeout(timeout time.Duration) Option { return fromCall(WithCallTimeout(timeout)) }

// WithTotalTimeout limits the time of a call with all its attempts and pauses; a list makes one call for each page, and a
// watch has no total. Default 20 s, or the timeout of an attempt if that is longer. The caller's context limits it, too.
func WithTotalTimeout(timeout time.Duration) Option { return fromCall(WithCallTotalTimeout(timeout)) }

// WithMaxRetries sets how often a call is repeated at most. Default 2; 0: never.
func WithMaxRetries(count int) Option { return fromCall(WithCallMaxRetries(count)) }

// WithHeaders adds headers to every request, for a gateway in front of the service. Those that the client sets itself, such as
// Authorization, are refused.
func WithHeaders(headers map[string]string) Option { return fromCall(WithCallHeaders(headers)) }

// WithUserAgent adds the name of your program to the User-Agent, such as my-shop/1.2.
func WithUserAgent(name string) Option { return func(s *settings) { s.userAgent = name } }

// WithOnResponse sets a function that is called after each attempt of every call, successful or not: for logs, metrics and
// traces. It may be called by several goroutines at once.
func WithOnResponse(hook func(ResponseInfo)) Option { return fromCall(WithCallOnResponse(hook)) }

// WithHTTPClient sets the client that calls go through, with proxies and certificates as you need them. A copy is
// used: redirects are not followed, whatever it says, and its Timeout does not end streams. Default: [http.DefaultClient]. A
// client without a transport has a copy of [http.DefaultTransport] that pings over HTTP/2; a transport of your own should have
// [http.HTTP2Config] with SendPingTimeout, or a connection whose other end has vanished is used for a quarter of an hour.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.httpClient = client } }

func fromCall(option CallOption) Option { return func(s *settings) { option(&s.call) } }

// NewClient makes a client. Without a key or an address it returns an error with [ErrConfiguration]; nothing is sent.
func NewClient(options ...Option) (*Client, error) {
	own := settings{
		apiKey:     os.Getenv(EnvAPIKey),
		baseURL:    os.Getenv(EnvBaseURL),
		httpClient: http.DefaultClient,
		call:       callSettings{timeout: DefaultTimeout, maxRetries: DefaultMaxRetries},
	}
	for _, option := range options {
		option(&own)
	}
	base, err := checked(own)
	if err != nil {
		return nil, err
	}
	unary, streams := *own.httpClient, *own.httpClient
	unary.CheckRedirect, streams.CheckRedirect = stay, stay
	unary.Transport, streams.Transport = unread{unary.Transport}, unread{streams.Transport}
	streams.Timeout = 0
	key := own.apiKey
	return newClient(&core{
		baseURL:   base,
		userAgent: strings.TrimSpace(userAgent + " " + own.userAgent),
		// A function, because printing shows no function's variables: a client in a log does not give the key away.
		authorise: func(header http.Header) { header.Set("Authorization", "Bearer "+key) },
		mask:      func(text string) string { return strings.ReplaceAll(text, key, "***") },
		defaults:  own.call,
		unary:     &unary,
		streams:   &streams,
	}), nil
}

// checked returns the address without a slash at its end. No message shows the key.
func checked(own settings) (string, error) {
	switch problem := own.call.problem(); {
	case own.apiKey == "":
		return "", misconfigured("no API key: use WithAPIKey or set " + EnvAPIKey)
	case !isToken(own.apiKey):
		return "", misconfigured("the API key holds spaces, line ends or other characters that no key has")
	case own.baseURL == "":
		return "", misconfigured("no address: use WithBaseURL or set " + EnvBaseURL)
	case !isToken(strings.ReplaceAll(own.userAgent, " ", "")):
		return "", misconfigured("the user agent holds characters that no header may have")
	case own.httpClient == nil:
		return "", misconfigured("the HTTP client is nil")
	case problem != "":
		return "", misconfigured(problem)
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
