package ramz

import (
	"fmt"
	"net/http"
	"time"
)

// ResponseInfo describes one attempt of a call, see [WithOnResponse]. It holds no API key, no phone number and no code.
type ResponseInfo struct {
	// Operation that was called, such as verify.send.
	Operation string
	// Attempt is 1 for the first.
	Attempt int
	// Status of HTTP; 0 if no response came.
	Status int
	// RequestID identifies the request in the logs of the service; empty if there is none.
	RequestID string
	// Duration of the attempt.
	Duration time.Duration
	// Header of the response, without the API key; empty if none came.
	Header http.Header
}

// String is one line for a log.
func (r ResponseInfo) String() string {
	outcome := "no response"
	if r.Status != 0 {
		outcome = fmt.Sprintf("HTTP %d", r.Status)
	}
	id := ""
	if r.RequestID != "" {
		id = " (" + r.RequestID + ")"
	}
	return fmt.Sprintf("%s, attempt %d: %s in %.3f s%s", r.Operation, r.Attempt, outcome, r.Duration.Seconds(), id)
}

// attempt that is under way.
type attempt struct {
	core   *core
	own    callSettings
	info   ResponseInfo
	begun  time.Time
	status int
	header http.Header
	body   []byte
	ended  bool
}

func (c *core) begin(op *operation, number int, own callSettings) *attempt {
	info := ResponseInfo{Operation: op.name, Attempt: number, Header: http.Header{}}
	return &attempt{core: c, own: own, info: info, begun: time.Now()}
}

// answered notes the head of a response.
func (a *attempt) answered(response *http.Response) {
	a.status, a.header = response.StatusCode, response.Header
	a.info.Status = a.status
	a.info.RequestID = a.core.mask(response.Header.Get("X-Request-Id"))
	if len(a.own.hooks) > 0 {
		a.info.Header = a.core.maskedHeader(response.Header)
	}
}

// end reports the attempt, once: one of a watch ends for the hooks when its response has come, whose messages follow for minutes.
func (a *attempt) end() {
	if a.ended {
		return
	}
	a.ended = true
	a.info.Duration = time.Since(a.begun)
	for _, hook := range a.own.hooks {
		hook(a.info)
	}
}
