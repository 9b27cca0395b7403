package ramzgrpc

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/grpc/ramzv1"
	"github.com/ramz-verify/ramz/sdks/go/grpc/ramzv1/ramzv1connect"
	"google.golang.org/protobuf/types/known/durationpb"
)

func TestErrorsOfOthers(t *testing.T) {
	plain := errors.New("plain")
	if err := FromConnect(plain); err != plain || FromConnect(nil) != nil {
		t.Errorf("%v", err)
	}
	// A status without the details of the service is a proxy's.
	wire := connect.NewError(connect.CodeUnavailable, errors.New("full"))
	wait, err := connect.NewErrorDetail(durationpb.New(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	wire.AddDetail(wait)
	wire.Meta().Set("Retry-After", "2")
	var failure *ramz.Error
	if !errors.As(FromConnect(wire), &failure) || failure.Code != "" || failure.Status != http.StatusServiceUnavailable || failure.RetryAfter != 2*time.Second {
		t.Errorf("%#v", failure)
	}
	if !errors.Is(failure, ramz.ErrServer) || !errors.Is(failure, wire) || failure.Error() != "ramz: full" {
		t.Errorf("%v", failure)
	}
}

func TestErrorsOfTheNetwork(t *testing.T) {
	stub := ramzv1connect.NewVerifyServiceClient(http.DefaultClient, "http://127.0.0.1:1", connect.WithGRPC())
	_, err := stub.GetSession(t.Context(), connect.NewRequest(&ramzv1.GetSessionRequest{Id: "vrf_1"}))
	if !errors.Is(FromConnect(err), ramz.ErrNetwork) {
		t.Errorf("%v", err)
	}
	for code, want := range map[connect.Code]ramz.Kind{
		connect.CodeDeadlineExceeded: ramz.KindTimeout, connect.CodeCanceled: ramz.KindCanceled,
	} {
		var failure *ramz.Error
		if !errors.As(FromConnect(connect.NewError(code, context.Canceled)), &failure) || failure.Kind != want {
			t.Errorf("%s: %v", code, failure)
		}
	}
}

// Against the running service, as in the SDK's own tests.
func TestOverGRPC(t *testing.T) {
	target := os.Getenv("RAMZ_GRPC_TARGET")
	if target == "" {
		t.Skip("no running service: node test/sdks/run.ts go starts one")
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	stub := ramzv1connect.NewAccountServiceClient(&http.Client{Transport: transport}, "http://"+target, connect.WithGRPC())
	request := connect.NewRequest(&ramzv1.GetAccountRequest{})
	request.Header().Set("Authorization", "Bearer "+os.Getenv(ramz.EnvAPIKey))
	answer, err := stub.GetAccount(t.Context(), request)
	if err := FromConnect(err); err != nil || !strings.HasPrefix(answer.Msg.GetAccount().GetId(), "acct_") {
		t.Fatalf("%v %v", answer, err)
	}

	sessions := ramzv1connect.NewVerifyServiceClient(&http.Client{Transport: transport}, "http://"+target, connect.WithGRPC())
	ask := func(id string) error {
		request := connect.NewRequest(&ramzv1.GetSessionRequest{Id: id})
		request.Header().Set("Authorization", "Bearer "+os.Getenv(ramz.EnvAPIKey))
		_, err := sessions.GetSession(t.Context(), request)
		return FromConnect(err)
	}
	if err := ask("vrf_none"); ramz.CodeOf(err) != ramz.ErrorCodeSessionNotFound || !errors.Is(err, ramz.ErrNotFound) {
		t.Errorf("%v", err)
	}
	var failure *ramz.Error
	if !errors.As(ask(""), &failure) || failure.Field != "id" || failure.RequestID == "" || failure.Status != http.StatusBadRequest {
		t.Errorf("%#v", failure)
	}
}
