// Package test holds the SDK to the vectors that all languages share, and to one story against the running service.
package test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
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

// operate calls an operation by its name in the contract. A list has its items as answers, an operation without one none.
func operate(t *testing.T, client *ramz.Client, operation string, arguments json.RawMessage, options ...ramz.CallOption) ([]any, error) {
	t.Helper()
	ctx, path := context.Background(), pathOf(t, arguments)
	switch operation {
	case "verify.send":
		return one(client.Verify.Send(ctx, read[ramz.SendRequest](t, arguments), options...))
	case "verify.check":
		return one(client.Verify.Check(ctx, read[ramz.CheckRequest](t, arguments), options...))
	case "verify.get":
		return one(client.Verify.Get(ctx, path.ID, options...))
	case "verify.cancel":
		return one(client.Verify.Cancel(ctx, path.ID, options...))
	case "verify.report":
		type body struct {
			ID string `json:"id"`
			*ramz.ReportSessionRequest
		}
		return one(client.Verify.Report(ctx, path.ID, read[body](t, arguments).ReportSessionRequest, options...))
	case "api_keys.create":
		return one(client.APIKeys.Create(ctx, read[ramz.CreateAPIKeyRequest](t, arguments), options...))
	case "api_keys.revoke":
		return one(client.APIKeys.Revoke(ctx, path.ID, options...))
	case "webhook_endpoints.get":
		return one(client.WebhookEndpoints.Get(ctx, path.ID, options...))
	case "verify.list":
		var items []any
		for session, err := range client.Verify.List(ctx, read[ramz.ListSessionsRequest](t, arguments), options...) {
			if err != nil {
				return items, err
			}
			items = append(items, session)
		}
		return items, nil
	case "accounts.get":
		return one(client.Accounts.Get(ctx, options...))
	case "webhook_endpoints.create":
		return one(client.WebhookEndpoints.Create(ctx, read[ramz.CreateWebhookEndpointRequest](t, arguments), options...))
	case "webhook_endpoints.update":
		type body struct {
			ID string `json:"id"`
			*ramz.UpdateWebhookEndpointRequest
		}
		return one(client.WebhookEndpoints.Update(ctx, path.ID, read[body](t, arguments).UpdateWebhookEndpointRequest, options...))
	case "accounts.update":
		return one(client.Accounts.Update(ctx, read[ramz.UpdateAccountRequest](t, arguments), options...))
	case "webhook_endpoints.delete":
		return nil, client.WebhookEndpoints.Delete(ctx, path.ID, options...)
	case "limit_list.delete_list_entry":
		return nil, client.LimitList.DeleteListEntry(ctx, path.ID, options...)
	case "admin.delete_platform_entry":
		return nil, client.Admin.DeletePlatformEntry(ctx, path.ID, options...)
	case "waba.disconnect":
		return one(client.WABA.Disconnect(ctx, options...))
	case "webhook_endpoints.redeliver":
		return one(client.WebhookEndpoints.Redeliver(ctx, path.ID, path.EventID, options...))
	}
	t.Fatalf("the vectors use an operation that is not here yet: %s", operation)
	return nil, nil
}

func one[T any](answer *T, err error) ([]any, error) { return []any{answer}, err }

// pathOf is what stands in the path of an operation.
func pathOf(t *testing.T, arguments json.RawMessage) (path struct {
	ID      string `json:"id"`
	EventID string `json:"event_id"`
}) {
	t.Helper()
	if len(arguments) > 0 {
		must(t, json.Unmarshal(arguments, &path))
	}
	return path
}

// read the arguments as a request. One that it does not have would go untested.
func read[Request any](t *testing.T, arguments json.RawMessage) *Request {
	t.Helper()
	request := new(Request)
	if len(arguments) > 0 {
		reader := json.NewDecoder(bytes.NewReader(arguments))
		reader.DisallowUnknownFields()
		must(t, reader.Decode(request))
	}
	return request
}
