package webhooks_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/webhooks"
)

const secret = "whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="

func ExampleHandler() {
	verifier := webhooks.Verifier{Secrets: []string{secret}}
	handler := webhooks.Handler(verifier, func(_ context.Context, event *webhooks.Event) error {
		if receipt, isReceipt := event.Data.(*ramz.Receipt); isReceipt && receipt.Cost != nil {
			fmt.Println(receipt.Status, receipt.Cost.Amount, receipt.Cost.Currency)
		}
		return nil
	})

	// What Ramz does.
	body := `{"id":"evt_1","type":"receipt.updated","data":{"status":"DELIVRD","cost":{"amount":"3.50","currency":"DZD"}}}`
	header, err := webhooks.Sign([]byte(body), "evt_1", time.Now(), secret)
	if err != nil {
		log.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/webhooks/ramz", strings.NewReader(body))
	request.Header = header
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	fmt.Println(response.Code)
	// Output:
	// DELIVRD 3.50 DZD
	// 204
}
