package test

import (
	"errors"
	"testing"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/ramztest"
)

const number = "+213550000001"

// opened is a session in a fake.
func opened(t *testing.T, client *ramz.Client, request *ramz.SendRequest) *ramz.SendResponse {
	t.Helper()
	session, err := client.Verify.Send(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func TestFakeVerifies(t *testing.T) {
	fake := ramztest.New()
	now := time.Now()
	fake.Now = func() time.Time { return now }
	client := fake.Client()
	session := opened(t, client, &ramz.SendRequest{To: number, CodeLength: 8, ClientReference: "طلب 🙂"})
	if _, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: number}); ramz.CodeOf(err) != ramz.ErrorCodeResendTooSoon {
		t.Errorf("%v", err)
	}
	now = now.Add(30 * time.Second)
	if again := opened(t, client, &ramz.SendRequest{To: number}); again.ID != session.ID {
		t.Errorf("a resend opened %s", again.ID)
	}
	for _, step := range []struct {
		code     string
		reason   ramz.CheckReason
		attempts int
	}{
		{"11111111", ramz.CheckReasonIncorrectCode, 4},
		{"00000000", "", 3},
		{"00000000", ramz.CheckReasonAlreadyVerified, 3},
	} {
		result, err := client.Verify.Check(t.Context(), &ramz.CheckRequest{To: number, Code: step.code})
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != step.reason || result.Valid != (step.reason == "") || result.AttemptsRemaining != step.attempts {
			t.Errorf("%s: %v", step.code, result)
		}
	}
	found, err := client.Verify.Get(t.Context(), session.ID)
	if err != nil || found.Status != ramz.SessionStatusVerified || found.VerifiedAt.IsZero() {
		t.Errorf("%v %v", found, err)
	}
	if sent := fake.Sent(); len(sent) != 2 || sent[0].ClientReference != "طلب 🙂" {
		t.Errorf("%v", sent)
	}
}

func TestFakeFails(t *testing.T) {
	fake := ramztest.New()
	client := fake.Client()
	fake.Refuse("+213550000002", ramz.ErrorCodeUnsupportedDestination)
	if _, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: "+213550000002"}); !errors.Is(err, ramz.ErrInvalidRequest) || ramz.CodeOf(err) != ramz.ErrorCodeUnsupportedDestination {
		t.Errorf("%v", err)
	}
	fake.Refuse("+213550000002", "")
	opened(t, client, &ramz.SendRequest{To: "+213550000002"})
	fake.Fail("verify.check", ramz.ErrorCodeNumberLocked)
	if _, err := client.Verify.Check(t.Context(), &ramz.CheckRequest{To: number, Code: "000000"}); !errors.Is(err, ramz.ErrRateLimit) {
		t.Errorf("%v", err)
	}
	if _, err := client.Verify.Get(t.Context(), "vrf_1"); ramz.CodeOf(err) != ramz.ErrorCodeSessionNotFound || !errors.Is(err, ramz.ErrNotFound) {
		t.Errorf("%v", err)
	}
	_, err := client.Verify.Send(t.Context(), nil)
	expectField(t, err, "to")
	if _, err := client.WebhookEndpoints.Get(t.Context(), "we_1"); ramz.CodeOf(err) != ramz.ErrorCodeUnimplemented {
		t.Errorf("%v", err)
	}
	fake.Answer("accounts.get", &ramz.Account{Name: "My Shop"})
	// The client takes no answer without ids; a test need not say them.
	if account, err := client.Accounts.Get(t.Context()); err != nil || account.Name != "My Shop" || account.ID != "fake" {
		t.Errorf("%v %v", account, err)
	}
	fake.Answer("webhook_endpoints.get", &ramz.WebhookEndpoint{URL: "https://shop.example/hook"})
	if endpoint, err := client.WebhookEndpoints.Get(t.Context(), "whe_7"); err != nil || endpoint.ID != "whe_7" {
		t.Errorf("%v %v", endpoint, err)
	}
	// As with the service: an answer about something else is none.
	fake.Answer("webhook_endpoints.get", &ramz.WebhookEndpoint{ID: "whe_8"})
	if endpoint, err := client.WebhookEndpoints.Get(t.Context(), "whe_7"); endpoint != nil || !errors.Is(err, ramz.ErrServer) {
		t.Errorf("%v %v", endpoint, err)
	}
}

func TestFakeRunsOut(t *testing.T) {
	fake := ramztest.New()
	now := time.Now()
	fake.Now = func() time.Time { return now }
	client := fake.Client()
	session := opened(t, client, &ramz.SendRequest{To: number})
	for attempt := 4; attempt >= 0; attempt-- {
		result, err := client.Verify.Check(t.Context(), &ramz.CheckRequest{ID: session.ID, Code: "111111"})
		if err != nil || result.Valid || result.AttemptsRemaining != attempt {
			t.Fatalf("%v %v", result, err)
		}
	}
	late := opened(t, client, &ramz.SendRequest{To: number})
	if late.ID == session.ID {
		t.Error("a failed session was taken once more")
	}
	now = now.Add(11 * time.Minute)
	result, err := client.Verify.Check(t.Context(), &ramz.CheckRequest{ID: late.ID, Code: ramztest.Code})
	if err != nil || result.Valid || result.Reason != ramz.CheckReasonExpired {
		t.Errorf("%v %v", result, err)
	}
	if _, err := client.Verify.Cancel(t.Context(), late.ID); ramz.CodeOf(err) != ramz.ErrorCodeSessionNotPending {
		t.Errorf("%v", err)
	}
}

func TestFakeLists(t *testing.T) {
	client := ramztest.New().Client()
	for _, purpose := range []string{"login", "payment", "reset"} {
		opened(t, client, &ramz.SendRequest{To: number, Purpose: purpose, ClientReference: "order-1042"})
	}
	opened(t, client, &ramz.SendRequest{To: "+213550000009"})
	var purposes []string
	for session, err := range client.Verify.List(t.Context(), &ramz.ListSessionsRequest{PageSize: 2, ClientReference: "order-1042"}) {
		if err != nil {
			t.Fatal(err)
		}
		purposes = append(purposes, session.Purpose)
	}
	if len(purposes) != 3 || purposes[0] != "reset" || purposes[2] != "login" {
		t.Errorf("%v", purposes)
	}
	for session := range client.Verify.List(t.Context(), &ramz.ListSessionsRequest{CreatedAfter: time.Now().Add(time.Hour)}) {
		t.Errorf("%v", session)
	}
}
