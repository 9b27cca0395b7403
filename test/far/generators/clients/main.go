// A user logs in by a code: with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"time"

	ramz "example.test/login/client"
)

func main() {
	if err := logIn(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func logIn(ctx context.Context, to string) error {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("RAMZ_API_KEY"))
		return nil
	}
	client, err := ramz.NewClientWithResponses(os.Getenv("RAMZ_BASE_URL"), ramz.WithRequestEditorFn(withKey))
	if err != nil {
		return err
	}
	channel, purpose := ramz.ChannelInput("sms"), "login"
	sent, err := client.SendWithResponse(ctx, nil, ramz.SendRequest{To: to, Channel: &channel, Purpose: &purpose})
	if err != nil || sent.JSON200 == nil {
		return fmt.Errorf("send: %w %s", err, sent.Body)
	}
	code, err := codeOn(to)
	if err != nil {
		return err
	}
	id := sent.JSON200.Id
	checked, err := client.CheckWithResponse(ctx, nil, ramz.CheckRequest{Id: &id, Code: code})
	if err != nil || checked.JSON200 == nil || !checked.JSON200.Valid {
		return fmt.Errorf("check: %w %s", err, checked.Body)
	}
	got, err := client.GetSessionWithResponse(ctx, id)
	if err != nil || got.JSON200 == nil || got.JSON200.Status != "verified" {
		return fmt.Errorf("get: %w %s", err, got.Body)
	}
	session := got.JSON200
	if session.VerifiedAt == nil || session.VerifiedAt.Before(session.CreatedAt) {
		return fmt.Errorf("verified too early: %s", got.Body)
	}
	none, err := client.GetSessionWithResponse(ctx, "vrf_none")
	if err != nil || none.JSON404 == nil || none.JSON404.Error.Code != "session_not_found" {
		return fmt.Errorf("no such session was found: %w", err)
	}
	fmt.Println(session.Status, session.Messages[0].Channel)
	return nil
}

func codeOn(to string) (string, error) {
	address := os.Getenv("RAMZ_SANDBOX_URL") + "/sandbox/messages?to=" + url.QueryEscape(to)
	digits := regexp.MustCompile(`\b\d{6}\b`)
	for range 600 {
		response, err := http.Get(address)
		if err != nil {
			return "", err
		}
		var inbox struct {
			Messages []struct{ Text string }
		}
		err = json.NewDecoder(response.Body).Decode(&inbox)
		response.Body.Close()
		if err != nil {
			return "", err
		}
		if len(inbox.Messages) > 0 {
			if code := digits.FindString(inbox.Messages[0].Text); code != "" {
				return code, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "", fmt.Errorf("no code came")
}
