package ramz

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/ramz-verify/ramz/sdks/go/internal/retryafter"
)

// What is not an answer of Ramz: a proxy's page, a redirect, JSON of another service. It is always of KindServer, because
// the user of the application has no part in it. The rules of its text are in sdks/README.md.

const (
	foreignPrefix = "not an answer of Ramz"
	// Characters of the body that the error keeps, and those in its message.
	keptLength  = 1024
	shownLength = 80
	// Space, and the mark of UTF-8.
	beforeJSON = " \t\r\n\uFEFF"
)

var (
	unprintable = regexp.MustCompile(`[\p{Cc}\x{2028}\x{2029} ]+`)
	address     = regexp.MustCompile(`(?i)^(https?://)(?:[^/?#\s]*@)?([\w.:\[\]-]+)(?:[/?#]|$)`)
	mediaType   = regexp.MustCompile(`^\s*([\w.+-]+/[\w.+-]+)\s*(?:;|$)`)
	userInfo    = regexp.MustCompile(`//[^/?#\s]*@`)
)

// foreign is the error of an answer that is not one of Ramz. mismatch tells what is wrong with an object of success, whose text
// is not kept: it may hold numbers and secrets.
func (c *core) foreign(status int, header http.Header, body []byte, mismatch string) *Error {
	result := &Error{
		Kind:      KindServer,
		Status:    status,
		RequestID: c.mask(header.Get("X-Request-Id")),
		Details:   map[string]any{},
		Header:    c.maskedHeader(header),
	}
	if mismatch == "" && status >= 200 && status < 300 && bytes.HasPrefix(bytes.TrimLeft(body, beforeJSON), []byte("{")) {
		// It begins as an object of success, though it is none to its end.
		mismatch = "not the JSON of an answer"
	}
	if mismatch != "" {
		result.Message = fmt.Sprintf("%s: HTTP %d (%s)", foreignPrefix, status, c.mask(mismatch))
		return result
	}
	result.RetryAfter, result.hasRetryAfter = retryafter.Read(header)
	result.Body = first(keptLength, c.mask(strings.ToValidUTF8(string(body), "\uFFFD")))
	about := shownType(result.Header) + excerpt(result.Body)
	if to := address.FindStringSubmatch(result.Header.Get("Location")); status >= 300 && status < 400 && to != nil {
		about = fmt.Sprintf(" to %s%s/… (set base_url to that)", to[1], to[2])
	}
	result.Message = fmt.Sprintf("%s: HTTP %d%s", foreignPrefix, status, about)
	return result
}

// maskedHeader leaves out the key, which something on the way may send back, and the user and password of a redirect.
func (c *core) maskedHeader(header http.Header) http.Header {
	result := http.Header{}
	for name, values := range header {
		for _, value := range values {
			value = c.mask(value)
			if http.CanonicalHeaderKey(name) == "Location" {
				value = userInfo.ReplaceAllString(value, "//***@")
			}
			result.Add(name, value)
		}
	}
	return result
}

func shownType(header http.Header) string {
	if found := mediaType.FindStringSubmatch(header.Get("Content-Type")); found != nil {
		return " " + strings.ToLower(found[1])
	}
	return ""
}

func excerpt(body string) string {
	line := strings.Trim(unprintable.ReplaceAllString(body, " "), " ")
	switch start := first(shownLength, line); {
	case line == "":
		return ""
	case start != line:
		return `: "` + start + `…"`
	}
	return `: "` + line + `"`
}

// first cuts off after so many characters.
func first(count int, text string) string {
	for index := range text {
		if count == 0 {
			return text[:index]
		}
		count--
	}
	return text
}
