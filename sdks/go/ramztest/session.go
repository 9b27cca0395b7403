package ramztest

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"strings"
	"time"
	"unicode"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

const (
	attempts     = 5
	mostSends    = 5
	resendPause  = 30 * time.Second
	lifetime     = 10 * time.Minute
	usualDigits  = 6
	usualPerPage = 20
)

var (
	international = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	// separators are what the service passes over between digits. Brackets stay, since +44 (0) 20 is read in two ways.
	separators = regexp.MustCompile(`[\s\v\p{Z}\p{Pd}.\x{2212}\x{ad}\x{200b}-\x{200f}\x{61c}\x{202a}-\x{202e}\x{2060}\x{2066}-\x{2069}\x{feff}]`)
)

// numberOf is the number as E.164.
func numberOf(text string) (string, *fault) {
	number := separators.ReplaceAllString(text, "")
	if !international.MatchString(number) {
		return "", &fault{code: ramz.ErrorCodeInvalidPhoneNumber, field: "to"}
	}
	return number, nil
}

// session is what the service knows of a challenge. changed is closed, and replaced, with every change.
type session struct {
	state   *ramz.Session
	code    string
	brought string // The code if the caller has brought it, else empty.
	changed chan struct{}
}

// change the status; kinds are what the timeline says of it.
func (s *session) change(now time.Time, status ramz.SessionStatus, kinds ...ramz.TimelineKind) {
	s.state.Status = status
	if status != ramz.SessionStatusPending {
		s.state.ResendAfter = time.Time{}
	}
	for _, kind := range kinds {
		s.state.Timeline = append(s.state.Timeline, ramz.TimelineEntry{At: now, Kind: kind, Run: s.state.Run})
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// send opens a session, or takes the pending one of that number and purpose once more.
func (f *Fake) send(request *ramz.SendRequest) (*ramz.SendResponse, *fault) {
	to, malformed := numberOf(request.To)
	if malformed != nil {
		return nil, malformed
	}
	request.To = to
	if code := f.refused[request.To]; code != "" {
		return nil, &fault{code: code, field: "to"}
	}
	now := f.now()
	own := f.find(func(s *ramz.Session) bool {
		return s.Status == ramz.SessionStatusPending && s.To == request.To && s.Purpose == request.Purpose
	})
	begins := ramz.TimelineKindResendRequested
	if own != nil && request.Code != "" && request.Code != own.brought {
		if refused := tooSoon(own.state, now); refused != nil {
			return nil, refused
		}
		own.cancel(now, ramz.StatusReasonSuperseded)
		own = nil
	}
	if own == nil {
		state := opened(request, now)
		code := cmp.Or(request.Code, strings.Repeat("0", state.CodeLength))
		state.CodeLength = len(code)
		own = &session{state: state, code: code, brought: request.Code, changed: make(chan struct{})}
		f.sessions = append(f.sessions, own)
		begins = ramz.TimelineKindSessionOpened
	} else if refused := tooOften(own.state, now); refused != nil {
		return nil, refused
	}
	f.sent = append(f.sent, *as[ramz.SendRequest](request))
	state := own.state
	state.Sends++
	state.Run++
	state.ResendAfter = now.Add(resendPause)
	own.change(now, ramz.SessionStatusPending, begins, ramz.TimelineKindLegStarted, ramz.TimelineKindDeliveryDelivered)
	return &ramz.SendResponse{
		ID: state.ID, Status: state.Status, Delivery: state.Delivery, To: state.To, Channel: state.Channel,
		Purpose: state.Purpose, CreatedAt: state.CreatedAt, ExpiresAt: state.ExpiresAt, Cascade: state.Cascade,
		ResendAfter: state.ResendAfter, Test: state.Test,
	}, nil
}

// tooOften refuses a resend that comes too soon, or after as many sends as a session may have.
func tooOften(state *ramz.Session, now time.Time) *fault {
	if state.Sends >= mostSends {
		wait := state.ExpiresAt.Sub(now)
		return &fault{code: ramz.ErrorCodeTooManySends, details: map[string]string{"session_id": state.ID}, retryAfter: wait}
	}
	return tooSoon(state, now)
}

func tooSoon(state *ramz.Session, now time.Time) *fault {
	again := state.ResendAfter
	if !now.Before(again) {
		return nil
	}
	about := map[string]string{"session_id": state.ID, "resend_after": again.Format(time.RFC3339Nano)}
	return &fault{code: ramz.ErrorCodeResendTooSoon, details: about, retryAfter: again.Sub(now)}
}

func opened(request *ramz.SendRequest, now time.Time) *ramz.Session {
	life := cmp.Or(time.Duration(request.TTLSeconds)*time.Second, lifetime)
	cascade := request.Cascade
	if len(cascade) == 0 {
		cascade = []ramz.CascadeLeg{{Channel: cmp.Or(request.Channel, ramz.ChannelSMS), TimeoutSeconds: 15}}
	}
	return &ramz.Session{
		ID: newID("vrf_"), Status: ramz.SessionStatusPending, Delivery: ramz.DeliveryStatusDelivered, To: request.To,
		Channel: cmp.Or(request.Channel, cascade[0].Channel), Purpose: request.Purpose,
		Language: cmp.Or(request.Language, ramz.LanguageAr), CodeLength: cmp.Or(request.CodeLength, usualDigits), SenderID: request.SenderID,
		ClientReference: request.ClientReference, Metadata: request.Metadata, Autofill: request.Autofill, Cascade: cascade,
		CreatedAt: now, ExpiresAt: now.Add(life), FirstSendAt: now,
		AttemptsRemaining: attempts, Test: true,
	}
}

// check looks for the session by its id, or for the number's newest.
func (f *Fake) check(request *ramz.CheckRequest) (*ramz.CheckResponse, *fault) {
	to := ""
	if request.ID == "" {
		var malformed *fault
		if to, malformed = numberOf(request.To); malformed != nil {
			return nil, malformed
		}
	}
	own := f.find(func(s *ramz.Session) bool {
		if request.ID != "" {
			return s.ID == request.ID
		}
		return s.To == to && s.Purpose == request.Purpose
	})
	if own == nil {
		return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
	}
	code := typed(request.Code)
	if len(code) != own.state.CodeLength {
		return nil, &fault{code: ramz.ErrorCodeInvalidCode, field: "code"}
	}
	reason := f.judge(own, code)
	state := own.state
	return &ramz.CheckResponse{
		Valid: reason == "", ID: state.ID, Status: state.Status, Reason: reason, Test: state.Test,
		AttemptsRemaining: state.AttemptsRemaining, VerifiedAt: state.VerifiedAt,
	}, nil
}

// judge returns why the code is not valid, or nothing.
func (f *Fake) judge(own *session, code string) ramz.CheckReason {
	state := own.state
	switch state.Status {
	case ramz.SessionStatusVerified:
		return ramz.CheckReasonAlreadyVerified
	case ramz.SessionStatusCanceled:
		return ramz.CheckReasonCanceled
	case ramz.SessionStatusFailed:
		return ramz.CheckReasonTooManyAttempts
	case ramz.SessionStatusExpired:
		return ramz.CheckReasonExpired
	}
	state.AttemptsRemaining--
	now, checked := f.now(), ramz.TimelineKindCodeChecked
	switch {
	case code == own.code:
		state.VerifiedAt = now
		own.change(now, ramz.SessionStatusVerified, checked, ramz.TimelineKindSessionVerified)
		return ""
	case state.AttemptsRemaining == 0:
		state.StatusReason = ramz.StatusReasonTooManyAttempts
		own.change(now, ramz.SessionStatusFailed, checked, ramz.TimelineKindSessionFailed)
	default:
		own.change(now, ramz.SessionStatusPending, checked)
	}
	return ramz.CheckReasonIncorrectCode
}

// typed is what the user typed as digits, those of Arabic and Persian too; empty where it is something else. Spaces and
// dashes do not matter.
func typed(text string) string {
	var digits strings.Builder
	for _, sign := range text {
		switch {
		case sign >= '0' && sign <= '9':
			digits.WriteRune(sign)
		case sign >= '٠' && sign <= '٩':
			digits.WriteRune('0' + sign - '٠')
		case sign >= '۰' && sign <= '۹':
			digits.WriteRune('0' + sign - '۰')
		case sign != '-' && !unicode.IsSpace(sign):
			return ""
		}
	}
	return digits.String()
}

func (f *Fake) cancel(id string) (*ramz.Session, *fault) {
	own := f.find(func(s *ramz.Session) bool { return s.ID == id })
	switch {
	case own == nil:
		return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
	case own.state.Status == ramz.SessionStatusPending:
		own.cancel(f.now(), ramz.StatusReasonCanceledByClient)
	case own.state.Status != ramz.SessionStatusCanceled:
		return nil, &fault{code: ramz.ErrorCodeSessionNotPending, details: map[string]string{"status": string(own.state.Status)}}
	}
	return own.state, nil
}

func (s *session) cancel(now time.Time, reason ramz.StatusReason) {
	s.state.StatusReason = reason
	s.change(now, ramz.SessionStatusCanceled, ramz.TimelineKindSessionCanceled)
}

// report ends a pending session in the way the client says. Once more is the same as once.
func (f *Fake) report(id string, outcome ramz.ReportOutcome) (*ramz.Session, *fault) {
	own := f.find(func(s *ramz.Session) bool { return s.ID == id })
	if own == nil {
		return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
	}
	state := own.state
	isVerified := outcome == ramz.ReportOutcomeVerified
	isSo := state.StatusReason == ramz.StatusReasonReportedFraud
	if isVerified {
		isSo = state.Status == ramz.SessionStatusVerified
	}
	switch {
	case state.Status == ramz.SessionStatusPending && isVerified:
		state.VerifiedAt = f.now()
		own.change(f.now(), ramz.SessionStatusVerified, ramz.TimelineKindSessionVerified)
	case state.Status == ramz.SessionStatusPending:
		own.cancel(f.now(), ramz.StatusReasonReportedFraud)
	case !isSo:
		return nil, &fault{code: ramz.ErrorCodeSessionNotPending, details: map[string]string{"status": string(state.Status)}}
	}
	return state, nil
}

// find returns the newest session that fits, or nil. Those whose time has run out expire here.
func (f *Fake) find(fits func(*ramz.Session) bool) *session {
	for index := len(f.sessions) - 1; index >= 0; index-- {
		own := f.sessions[index]
		if own.state.Status == ramz.SessionStatusPending && !f.now().Before(own.state.ExpiresAt) {
			own.change(f.now(), ramz.SessionStatusExpired, ramz.TimelineKindSessionExpired)
		}
		if fits(own.state) {
			return own
		}
	}
	return nil
}

func newID(prefix string) string {
	var random [13]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err) // Go promises that it does not happen.
	}
	return prefix + hex.EncodeToString(random[:])
}
