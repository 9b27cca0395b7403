package ramz

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
)

const (
	firstPause     = 500 * time.Millisecond
	longestPause   = 8 * time.Second
	longestAskedOf = time.Minute
)

// mayRepeat tells whether the same call may be made once more, for its own sake and for the error's.
func mayRepeat(op *operation, failure *Error) bool {
	if failure.RetryAfter > longestAskedOf {
		return false
	}
	if !op.repeatable {
		// It may have had its effect, unless the service did not take it at all.
		return failure.Code == ErrorCodeRateLimited
	}
	switch failure.Kind {
	case KindNetwork, KindTimeout:
		return true
	case KindConfiguration, KindCanceled:
		return false
	}
	if failure.Status == http.StatusRequestTimeout {
		return true // The request did not arrive, whoever says so.
	}
	if rules, isKnown := codes.RulesOf(string(failure.Code)); isKnown {
		return rules.Repeat
	}
	switch failure.Status {
	case 500, 502, 503, 504:
		return true
	case 425: // Of a proxy: the call did not reach the service.
		return failure.Code == ""
	case 429: // The same. A limit without a time to wait would only be met again.
		return failure.Code == "" && failure.hasRetryAfter
	}
	return false
}

// mayBeDone tells whether the service may have done what an attempt asked for: it did not answer, or failed on the way
// (docs/errors.md).
func mayBeDone(failure *Error) bool {
	isUnanswered := failure.Kind == KindNetwork || failure.Kind == KindTimeout
	return isUnanswered || (failure.Status >= 500 && failure.Code != ErrorCodeOverloaded)
}

// isGone tells whether what the call names is not there. Plain not_found is an address that the service does not have.
func isGone(failure *Error) bool {
	return failure.Status == http.StatusNotFound && strings.HasSuffix(string(failure.Code), "_not_found")
}

// pauseBefore the n-th repeat, n from 1. luck is from 0 to 1, so that clients don't come back in step.
func pauseBefore(n int, failure *Error, luck float64) time.Duration {
	if failure.hasRetryAfter {
		return failure.RetryAfter + time.Duration(luck*0.1*float64(failure.RetryAfter))
	}
	pause := longestPause
	if n < 5 { // 0.5 s × 2⁴ is the longest already.
		pause = firstPause << (n - 1)
	}
	return pause/2 + time.Duration(luck*float64(pause/2))
}

// pause waits before the n-th repeat; nil: it has waited. It returns failure, at once, if the pause would last until end, which may
// be none, or until that of the context; and another one if the caller cancels the context meanwhile.
func pause(ctx context.Context, end time.Time, n int, failure *Error) *Error {
	length := pauseBefore(n, failure, rand.Float64())
	if deadline, isSet := ctx.Deadline(); isSet && (end.IsZero() || deadline.Before(end)) {
		end = deadline
	}
	if !end.IsZero() && time.Until(end) <= length {
		return failure
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		ended := noAnswer(ctx, ctx.Err())
		ended.Operation = failure.Operation
		return ended
	case <-timer.C:
		return nil
	}
}
