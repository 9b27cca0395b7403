package ramz

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"time"
)

// quietTime without a message, after which a connection may be dead, and a new one is cheaper than to wonder.
const quietTime = time.Minute

// watch follows a session until it is over. A stream that breaks is opened again, as often in a row as a call is repeated, and one
// that is quiet for long at once; the service then begins with the present state, of which only what is new is passed on.
func watch(ctx context.Context, c *core, op *operation, path []string, options []CallOption) iter.Seq2[*WatchSessionResponse, error] {
	return func(yield func(*WatchSessionResponse, error) bool) {
		own, failure := c.settingsFor(op, options)
		if failure == nil {
			_, failure = fillPath(op, path)
		}
		seen := &watched{op: op, path: path}
		repeats := 0
		for number := 1; failure == nil; number++ {
			try := c.begin(op, number, own)
			var hasAnswered, isLeft bool
			hasAnswered, isLeft, failure = try.follow(ctx, seen, yield)
			if isLeft || failure == nil {
				return
			}
			failure.Operation = op.name
			if hasAnswered {
				repeats = 0
				if failure.Kind == KindTimeout && ctx.Err() == nil {
					failure = nil // It was just quiet.
					continue
				}
			}
			repeats++
			if repeats <= own.maxRetries && mayRepeat(op, failure) {
				failure = pause(ctx, time.Time{}, repeats, failure)
			}
		}
		yield(nil, failure)
	}
}

// follow one stream. isLeft: the caller has left the loop. No failure: the service ended the stream.
func (a *attempt) follow(ctx context.Context, seen *watched, yield func(*WatchSessionResponse, error) bool) (hasAnswered, isLeft bool, failure *Error) {
	defer a.end()
	streamCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The first message comes soon; then the phone takes its time, for as long as the connection may be alive.
	timer := time.AfterFunc(a.own.timeout, func() { cancel(context.DeadlineExceeded) })
	defer timer.Stop()
	request, err := json.Marshal(map[string]string{"id": seen.path[0]})
	if err != nil {
		panic(err) // Text can always be written.
	}
	var wrong *Error
	failure = a.stream(streamCtx, seen.op.path, request, func(message []byte) bool {
		timer.Stop()
		hasAnswered = true
		update, problem := seen.news(message)
		switch {
		case problem != "":
			wrong = a.core.foreign(http.StatusOK, nil, nil, problem)
		case update != nil:
			isLeft = !yield(update, nil)
		}
		timer.Reset(max(quietTime, a.own.timeout)) // From now: whoever reads may have taken their time.
		return wrong == nil && !isLeft
	})
	switch {
	case wrong != nil:
		return hasAnswered, false, wrong
	case failure != nil && ctx.Err() == nil && errors.Is(context.Cause(streamCtx), context.DeadlineExceeded):
		return hasAnswered, false, noAnswer(ctx, context.DeadlineExceeded)
	}
	return hasAnswered, isLeft, failure
}

// watched is what the caller has seen of a session. A connection that is made again starts from the beginning: with the whole
// timeline as new, and maybe with nothing new at all.
type watched struct {
	op      *operation
	path    []string
	session string // As it came.
	entries int
}

// news of a message, with only the new in its entries; nil: it says no more than those before.
func (w *watched) news(message []byte) (update *WatchSessionResponse, problem string) {
	var asItCame struct {
		Session json.RawMessage `json:"session"`
	}
	update = new(WatchSessionResponse)
	if err := errors.Join(json.Unmarshal(message, &asItCame), unmarshal(message, update)); err != nil {
		return nil, misread(err)
	}
	if update.Session == nil {
		return update, ""
	}
	if problem := mismatch(w.op, w.path, nil, update.Session); problem != "" {
		return nil, problem
	}
	if string(asItCame.Session) == w.session {
		return nil, ""
	}
	timeline := update.Session.Timeline
	if len(timeline) > 0 {
		update.NewEntries = timeline[min(w.entries, len(timeline)):]
	}
	w.entries = max(w.entries, len(timeline))
	w.session = string(asItCame.Session)
	return update, ""
}
