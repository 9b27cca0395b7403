// Package test holds the SDK to the vectors that all languages share, and to one story against the running service.
package test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// vectors reads one of the shared files. RAMZ_VECTORS names their folder where this one is not in the repository.
func vectors(t *testing.T, name string, into any) {
	t.Helper()
	folder := os.Getenv("RAMZ_VECTORS")
	if folder == "" {
		folder = filepath.Join("..", "..", "vectors")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// operate calls an operation by its name in the contract. A list answers its items, as many messages.
func operate(t *testing.T, client *ramz.Client, operation string, arguments json.RawMessage, options ...ramz.CallOption) ([]proto.Message, error) {
	t.Helper()
	ctx := context.Background()
	switch operation {
	case "verify.send":
		return one(client.Verify.Send(ctx, read(t, arguments, new(ramz.SendRequest)), options...))
	case "verify.check":
		return one(client.Verify.Check(ctx, read(t, arguments, new(ramz.CheckRequest)), options...))
	case "verify.get":
		return one(client.Verify.Get(ctx, read(t, arguments, new(ramz.GetSessionRequest)).Id))
	case "verify.cancel":
		return one(client.Verify.Cancel(ctx, read(t, arguments, new(ramz.CancelSessionRequest)).Id))
	case "api_keys.revoke":
		return one(client.ApiKeys.Revoke(ctx, read(t, arguments, new(ramz.RevokeApiKeyRequest)).Id))
	case "webhook_endpoints.get":
		return one(client.WebhookEndpoints.Get(ctx, read(t, arguments, new(ramz.GetWebhookEndpointRequest)).Id))
	case "verify.list":
		var items []proto.Message
		for session, err := range client.Verify.List(ctx, read(t, arguments, new(ramz.ListSessionsRequest))) {
			if err != nil {
				return items, err
			}
			items = append(items, session)
		}
		return items, nil
	case "accounts.get":
		return one(client.Accounts.Get(ctx, options...))
	case "webhook_endpoints.create":
		return one(client.WebhookEndpoints.Create(ctx, read(t, arguments, new(ramz.CreateWebhookEndpointRequest))))
	case "webhook_endpoints.delete":
		return one(client.WebhookEndpoints.Delete(ctx, read(t, arguments, new(ramz.DeleteWebhookEndpointRequest)).Id))
	case "webhook_endpoints.redeliver":
		request := read(t, arguments, new(ramz.RedeliverWebhookRequest))
		return one(client.WebhookEndpoints.Redeliver(ctx, request.Id, request.EventId))
	}
	t.Fatalf("the vectors use an operation that is not here yet: %s", operation)
	return nil, nil
}

func one[T proto.Message](answer T, err error) ([]proto.Message, error) {
	return []proto.Message{answer}, err
}

func read[T proto.Message](t *testing.T, arguments json.RawMessage, message T) T {
	t.Helper()
	if len(arguments) == 0 {
		return message
	}
	if err := protojson.Unmarshal(arguments, message); err != nil {
		t.Fatal(err)
	}
	return message
}
