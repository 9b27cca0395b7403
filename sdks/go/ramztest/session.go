package ramztest

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"google.golang.org/protobuf/proto"
)

const (
	attempts     = 5
	resendPause  = 30 * time.Second
	lifetime     = 10 * time.Minute
	usualDigits  = 6
	usualPerPage = 20
)

// session is what the service knows of a challenge. changed is closed, and made anew, with every change.
type session struct {
	state   *ramz.Session
	changed chan struct{}
}

func (s *session) change(status string) {
	s.state.Status = status
	close(s.changed)
	s.changed = make(chan struct{})
}

// send opens a session, or takes the pending one of that number and purpose once more.
func (f *Fake) send(request *ramz.SendRequest) (*ramz.SendResponse, *fault) {
	if request.GetTo() == "" {
		return nil, &fault{code: ramz.ErrorCodeInvalidPhoneNumber, field: "to"}
	}
	if code := f.refused[request.GetTo()]; code != "" {
		return nil, &fault{code: code}
	}
	f.sent = append(f.sent, proto.Clone(request).(*ramz.SendRequest))
	now := f.Now()
	own := f.find(func(s *ramz.Session) bool {
		return s.Status == ramz.SessionStatusPending && s.To == request.To && s.Purpose == request.Purpose
	})
	if own == nil {
		own = &session{state: opened(request, now), changed: make(chan struct{})}
		f.sessions = append(f.sessions, own)
	}
	state := own.state
	state.Sends++
	state.Run++
	state.ResendAfter = ramz.Timestamp(now.Add(resendPause))
	own.change(ramz.SessionStatusPending)
	return &ramz.SendResponse{
		Id: state.Id, Status: state.Status, Delivery: state.Delivery, To: state.To, Channel: state.Channel,
		Purpose: state.Purpose, CreatedAt: state.CreatedAt, ExpiresAt: state.ExpiresAt, Cascade: state.Cascade,
		ResendAfter: state.ResendAfter, Test: state.Test,
	}, nil
}

func opened(request *ramz.SendRequest, now time.Time) *ramz.Session {
	life := lifetime
	if request.TtlSeconds != nil {
		life = time.Duration(request.GetTtlSeconds()) * time.Second
	}
	digits := int32(usualDigits)
	if request.CodeLength != nil {
		digits = request.GetCodeLength()
	}
	cascade := request.GetCascade()
	if len(cascade) == 0 {
		cascade = []*ramz.CascadeLeg{{Channel: or(request.GetChannel(), ramz.ChannelSms), TimeoutSeconds: ramz.Ptr(int32(15))}}
	}
	return &ramz.Session{
		Id: newID("vrf_"), Status: ramz.SessionStatusPending, Delivery: ramz.DeliveryStatusDelivered, To: request.GetTo(),
		Channel: or(request.GetChannel(), cascade[0].Channel), Purpose: request.GetPurpose(),
		Language: or(request.GetLanguage(), ramz.LanguageAr), CodeLength: digits, SenderId: request.GetSenderId(),
		ClientReference: request.GetClientReference(), Autofill: request.GetAutofill(), Cascade: cascade,
		CreatedAt: ramz.Timestamp(now), ExpiresAt: ramz.Timestamp(now.Add(life)), FirstSendAt: ramz.Timestamp(now),
		AttemptsRemaining: attempts, Test: true,
	}
}

// check looks for the session by its id, or for the number's newest.
func (f *Fake) check(request *ramz.CheckRequest) (*ramz.CheckResponse, *fault) {
	if request.GetCode() == "" {
		return nil, &fault{code: ramz.ErrorCodeInvalidCode, field: "code"}
	}
	own := f.find(func(s *ramz.Session) bool {
		if request.GetId() != "" {
			return s.Id == request.GetId()
		}
		return s.To == request.GetTo() && s.Purpose == request.GetPurpose()
	})
	if own == nil {
		return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
	}
	reason := f.judge(own, request.GetCode())
	state := own.state
	return &ramz.CheckResponse{
		Valid: reason == "", Id: state.Id, Status: state.Status, Reason: reason, Test: state.Test,
		AttemptsRemaining: state.AttemptsRemaining, VerifiedAt: state.VerifiedAt,
	}, nil
}

// judge returns why the code is not valid, or nothing.
func (f *Fake) judge(own *session, code string) string {
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
	if code == strings.Repeat("0", int(state.CodeLength)) {
		state.VerifiedAt = ramz.Timestamp(f.Now())
		state.ResendAfter = nil
		own.change(ramz.SessionStatusVerified)
		return ""
	}
	state.AttemptsRemaining--
	if state.AttemptsRemaining > 0 {
		own.change(ramz.SessionStatusPending)
		return ramz.CheckReasonIncorrectCode
	}
	state.StatusReason = ramz.StatusReasonTooManyAttempts
	own.change(ramz.SessionStatusFailed)
	return ramz.CheckReasonIncorrectCode
}

func (f *Fake) cancel(id string) (*ramz.Session, *fault) {
	own := f.find(func(s *ramz.Session) bool { return s.Id == id })
	switch {
	case own == nil:
		return nil, &fault{code: ramz.ErrorCodeSessionNotFound}
	case own.state.Status == ramz.SessionStatusPending:
		own.state.StatusReason = ramz.StatusReasonCanceledByClient
		own.change(ramz.SessionStatusCanceled)
	case own.state.Status != ramz.SessionStatusCanceled:
		return nil, &fault{code: ramz.ErrorCodeSessionNotPending}
	}
	return own.state, nil
}

// find returns the newest session that fits, or nil. Those whose time has run out expire here.
func (f *Fake) find(fits func(*ramz.Session) bool) *session {
	for index := len(f.sessions) - 1; index >= 0; index-- {
		own := f.sessions[index]
		if own.state.Status == ramz.SessionStatusPending && !f.Now().Before(ramz.Time(own.state.ExpiresAt)) {
			own.change(ramz.SessionStatusExpired)
		}
		if fits(own.state) {
			return own
		}
	}
	return nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func newID(prefix string) string {
	var random [13]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err) // Go promises that it does not happen.
	}
	return prefix + hex.EncodeToString(random[:])
}
