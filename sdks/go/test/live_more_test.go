package test

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

func (s *story) refusals(t *testing.T) {
	_, err := s.client.Verify.Get(t.Context(), "vrf_none")
	expectCode(t, err, ramz.ErrorCodeSessionNotFound, ramz.ErrNotFound)

	_, err = s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: "12"})
	expectCode(t, err, ramz.ErrorCodeInvalidPhoneNumber, ramz.ErrInvalidRequest)
	var failure *ramz.Error
	if errors.As(err, &failure); failure.Field != "to" || failure.RequestID == "" || failure.Status != http.StatusBadRequest || failure.Details["reason"] == nil {
		t.Errorf("%#v", failure)
	}

	// A key that is well-formed, and wrong: what it wants is said, not what it is.
	stranger, err := ramz.NewClient(ramz.WithAPIKey("ramz_live_nobody"))
	must(t, err)
	_, err = stranger.Accounts.Get(t.Context())
	expectCode(t, err, ramz.ErrorCodeInvalidAPIKey, ramz.ErrAuthentication)
	for _, err := range stranger.Verify.Watch(t.Context(), s.session.ID) {
		expectCode(t, err, ramz.ErrorCodeInvalidAPIKey, ramz.ErrAuthentication)
	}

	_, err = s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: s.session.To, Purpose: "again"})
	must(t, err)
	_, err = s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: s.session.To, Purpose: "again"})
	expectCode(t, err, ramz.ErrorCodeResendTooSoon, ramz.ErrRateLimit)
	if errors.As(err, &failure); failure.RetryAfter <= 0 || failure.Details["session_id"] == nil {
		t.Errorf("%#v", failure)
	}
}

func expectCode(t *testing.T, err error, code ramz.ErrorCode, kind error) {
	t.Helper()
	if ramz.CodeOf(err) != code || !errors.Is(err, kind) {
		t.Errorf("%v, want %s", err, code)
	}
}

func (s *story) idempotency(t *testing.T) {
	key, number := "go-"+digits(t, 12), phone(t)
	var ids []string
	for range 2 {
		session, err := s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: number}, ramz.WithIdempotencyKey(key))
		must(t, err)
		ids = append(ids, session.ID)
	}
	if ids[0] != ids[1] {
		t.Errorf("%v", ids)
	}
	_, err := s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: phone(t)}, ramz.WithIdempotencyKey(key))
	if !errors.Is(err, ramz.ErrAPI) {
		t.Errorf("another request with the same key: %v", err)
	}
}

func (s *story) keys(t *testing.T) {
	key, err := s.client.APIKeys.Create(t.Context(), &ramz.CreateAPIKeyRequest{Name: "go", Scopes: []ramz.Scope{ramz.ScopeRead}})
	must(t, err)
	reader, err := ramz.NewClient(ramz.WithAPIKey(key.Key))
	must(t, err)
	if _, err := reader.Accounts.Get(t.Context()); err != nil {
		t.Errorf("the new key: %v", err)
	}
	_, err = reader.Verify.Send(t.Context(), &ramz.SendRequest{To: s.number})
	expectCode(t, err, ramz.ErrorCodeMissingScope, ramz.ErrPermissionDenied)
	var names []string
	for listed, err := range s.client.APIKeys.List(t.Context(), nil) {
		must(t, err)
		if listed.ID == key.ID {
			names = append(names, listed.Name)
		}
	}
	if !slices.Equal(names, []string{"go"}) {
		t.Errorf("%v", names)
	}
	revoked, err := s.client.APIKeys.Revoke(t.Context(), key.ID)
	must(t, err)
	if revoked.RevokedAt.IsZero() {
		t.Errorf("%v", revoked)
	}
}

func (s *story) testKey(t *testing.T) {
	client, err := ramz.NewClient(ramz.WithAPIKey(os.Getenv("RAMZ_TEST_KEY")))
	must(t, err)
	session, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: phone(t)})
	must(t, err)
	result, err := client.Verify.Check(t.Context(), &ramz.CheckRequest{ID: session.ID, Code: "000000"})
	must(t, err)
	if !session.Test || !result.Valid || !result.Test {
		t.Errorf("%v %v", session, result)
	}
}

func (s *story) deleteEndpoint(t *testing.T) {
	must(t, s.client.WebhookEndpoints.Delete(t.Context(), s.endpoint.ID))
	_, err := s.client.WebhookEndpoints.Get(t.Context(), s.endpoint.ID)
	expectCode(t, err, ramz.ErrorCodeWebhookEndpointNotFound, ramz.ErrNotFound)
}
