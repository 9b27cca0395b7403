package ramz_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/ramztest"
)

// A client that talks to nobody; yours is ramz.NewClient().
var client = ramztest.New().Client()

func ExampleVerifyService_Send() {
	ctx := context.Background()
	session, err := client.Verify.Send(ctx, &ramz.SendRequest{To: "+213550000001", Purpose: "login"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.Verify.Check(ctx, &ramz.CheckRequest{ID: session.ID, Code: "123456"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Valid, result.Reason, result.AttemptsRemaining)
	// Output: false incorrect_code 4
}

func ExampleVerifyService_List() {
	request := &ramz.ListSessionsRequest{Status: ramz.SessionStatusVerified, PageSize: 100}
	for session, err := range client.Verify.List(context.Background(), request) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(session.ID, session.VerifiedAt)
	}
	// Output:
}

func ExampleVerifyService_Watch() {
	ctx := context.Background()
	session, err := client.Verify.Send(ctx, &ramz.SendRequest{To: "+213550000002"})
	if err != nil {
		log.Fatal(err)
	}
	for update, err := range client.Verify.Watch(ctx, session.ID) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(update.Session.Status)
		if _, err := client.Verify.Cancel(ctx, session.ID); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// pending
	// canceled
}

// A response is written as the service writes it, by value or by pointer.
func ExampleCheckResponse() {
	answer := ramz.CheckResponse{ID: "vrf_1", Status: ramz.SessionStatusPending, AttemptsRemaining: 4}
	text, err := json.Marshal(answer)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output: {"valid":false,"id":"vrf_1","status":"pending","reason":"","attempts_remaining":4,"test":false}
}

// What is not given is left as it is, and an empty list empties.
func ExampleAccountService_Update() {
	fake := ramztest.New()
	fake.Answer("accounts.update", ramz.Account{Name: "My Shop"})
	account, err := fake.Client().Accounts.Update(context.Background(), &ramz.UpdateAccountRequest{
		Language:        ramz.LanguageFr,
		DefaultSenderID: ramz.Ptr(""), // The platform's.
		Cascade:         []ramz.CascadeLeg{},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Name, account.CreatedAt.IsZero())
	// Output: My Shop true
}

func ExampleError() {
	_, err := client.Verify.Get(context.Background(), "vrf_none")
	var failure *ramz.Error
	switch {
	case errors.Is(err, ramz.ErrNotFound) && errors.As(err, &failure):
		fmt.Println(failure.Operation, failure.Code, failure.Status)
	case ramz.CodeOf(err) == ramz.ErrorCodeResendTooSoon && errors.As(err, &failure):
		fmt.Println("again in", failure.RetryAfter)
	}
	// Output: verify.get session_not_found 404
}
