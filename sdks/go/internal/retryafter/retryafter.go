// Package retryafter reads how long a response asks to wait.
package retryafter

import (
	"net/http"
	"strconv"
	"time"
)

// Read milliseconds, which only some proxies write, or whole seconds. A date is measured by the clock of the response: ours
// may be another. One that is over counts for nothing.
func Read(header http.Header) (time.Duration, bool) {
	if milliseconds, err := strconv.ParseUint(header.Get("Retry-After-Ms"), 10, 31); err == nil {
		return time.Duration(milliseconds) * time.Millisecond, true
	}
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	until, err := time.Parse(http.TimeFormat, text)
	now, errNow := time.Parse(http.TimeFormat, header.Get("Date"))
	if err != nil || errNow != nil || until.Before(now) {
		return 0, false
	}
	return until.Sub(now), true
}
