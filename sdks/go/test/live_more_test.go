package test

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"

	"connectrpc.com/connect"
	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/ramzv1"
	"github.com/ramz-verify/ramz/sdks/go/ramzv1/ramzv1connect"
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
	expectCode(t, err, ramz.ErrorCodeInvalidApiKey, ramz.ErrAuthentication)
	for _, err := range stranger.Verify.Watch(t.Context(), s.session.Id) {
		expectCode(t, err, ramz.ErrorCodeInvalidApiKey, ramz.ErrAuthentication)
	}

	_, err = s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: s.session.To, Purpose: "again"})
	must(t, err)
	_, err = s.client.Verify.Send(t.Context(), &ramz.SendRequest{To: s.session.To, Purpose: "again"})
	expectCode(t, err, ramz.ErrorCodeResendTooSoon, ramz.ErrRateLimit)
	if errors.As(err, &failure); failure.RetryAfter <= 0 || failure.Details["session_id"] == nil {
		t.Errorf("%#v", failure)
	}
}

func expectCode(t *testing.T, err error, code string, kind error) {
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
		ids = append(ids, session.Id)
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
	key, err := s.client.ApiKeys.Create(t.Context(), &ramz.CreateApiKeyRequest{Name: "go", Scopes: []string{ramz.ScopeRead}})
	must(t, err)
	reader, err := ramz.NewClient(ramz.WithAPIKey(key.Key))
	must(t, err)
	if _, err := reader.Accounts.Get(t.Context()); err != nil {
		t.Errorf("the new key: %v", err)
	}
	_, err = reader.Verify.Send(t.Context(), &ramz.SendRequest{To: s.number})
	expectCode(t, err, ramz.ErrorCodeMissingScope, ramz.ErrPermissionDenied)
	var names []string
	for listed, err := range s.client.ApiKeys.List(t.Context(), nil) {
		must(t, err)
		if listed.Id == key.Id {
			names = append(names, listed.Name)
		}
	}
	if !slices.Equal(names, []string{"go"}) {
		t.Errorf("%v", names)
	}
	revoked, err := s.client.ApiKeys.Revoke(t.Context(), key.Id)
	must(t, err)
	if ramz.Time(revoked.RevokedAt).IsZero() {
		t.Errorf("%v", revoked)
	}
}

func (s *story) testKey(t *testing.T) {
	client, err := ramz.NewClient(ramz.WithAPIKey(os.Getenv("RAMZ_TEST_KEY")))
	must(t, err)
	session, err := client.Verify.Send(t.Context(), &ramz.SendRequest{To: phone(t)})
	must(t, err)
	result, err := client.Verify.Check(t.Context(), &ramz.CheckRequest{Id: session.Id, Code: "000000"})
	must(t, err)
	if !session.Test || !result.Valid || !result.Test {
		t.Errorf("%v %v", session, result)
	}
}

// The stubs beside the client, for who wants gRPC.
func (s *story) overGRPC(t *testing.T) {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	stub := ramzv1connect.NewVerifyServiceClient(&http.Client{Transport: transport}, "http://"+os.Getenv("RAMZ_GRPC_TARGET"), connect.WithGRPC())
	ask := func(id string) (*connect.Response[ramzv1.GetSessionResponse], error) {
		request := connect.NewRequest(&ramzv1.GetSessionRequest{Id: id})
		request.Header().Set("Authorization", "Bearer "+os.Getenv(ramz.EnvAPIKey))
		return stub.GetSession(t.Context(), request)
	}
	answer, err := ask(s.session.Id)
	must(t, ramz.FromConnect(err))
	if answer.Msg.GetSession().GetClientReference() != s.reference {
		t.Errorf("%v", answer.Msg)
	}
	_, err = ask("vrf_none")
	expectCode(t, ramz.FromConnect(err), ramz.ErrorCodeSessionNotFound, ramz.ErrNotFound)
	_, err = ask("")
	var failure *ramz.Error
	if errors.As(ramz.FromConnect(err), &failure); failure.Field != "id" || failure.RequestID == "" || failure.Status != http.StatusBadRequest {
		t.Errorf("%#v", failure)
	}
	transport.CloseIdleConnections()
	gone := ramzv1connect.NewVerifyServiceClient(http.DefaultClient, "http://127.0.0.1:1", connect.WithGRPC())
	_, err = gone.GetSession(t.Context(), connect.NewRequest(&ramzv1.GetSessionRequest{Id: "vrf_1"}))
	if !errors.Is(ramz.FromConnect(err), ramz.ErrNetwork) {
		t.Errorf("%v", err)
	}
}

func (s *story) deleteEndpoint(t *testing.T) {
	_, err := s.client.WebhookEndpoints.Delete(t.Context(), s.endpoint.Id)
	must(t, err)
	_, err = s.client.WebhookEndpoints.Get(t.Context(), s.endpoint.Id)
	expectCode(t, err, ramz.ErrorCodeWebhookEndpointNotFound, ramz.ErrNotFound)
}
