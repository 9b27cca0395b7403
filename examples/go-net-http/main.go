// Login with a code, and the webhook that tells what became of it.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"sync"

	ramz "github.com/ramz-verify/ramz/sdks/go"
	"github.com/ramz-verify/ramz/sdks/go/webhooks"
)

type server struct {
	ramz    *ramz.Client
	logins  sync.Map // token -> phone; a database in real life
	handled sync.Map // ids of events
}

var e164 = regexp.MustCompile(`^\+[0-9]+$`)

func main() {
	client, err := ramz.NewClient() // RAMZ_BASE_URL, RAMZ_API_KEY
	if err != nil {
		log.Fatal(err)
	}
	s := &server{ramz: client}
	verifier := webhooks.Verifier{Secrets: []string{os.Getenv("RAMZ_WEBHOOK_SECRET")}}
	http.HandleFunc("POST /login/start", s.start)
	http.HandleFunc("POST /login/check", s.check)
	http.HandleFunc("GET /me", s.me)
	http.Handle("POST /webhooks/ramz", webhooks.Handler(verifier, s.event))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "3000"), nil))
}

type login struct{ Phone, Code string }

func (s *server) start(w http.ResponseWriter, r *http.Request) {
	var body login
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if _, err := s.ramz.Verify.Send(r.Context(), &ramz.SendRequest{To: body.Phone, Purpose: "login"}); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (s *server) check(w http.ResponseWriter, r *http.Request) {
	var body login
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	answer, err := s.ramz.Verify.Check(r.Context(), &ramz.CheckRequest{To: body.Phone, Purpose: "login", Code: body.Code})
	if err != nil {
		refuse(w, err)
		return
	}
	if !answer.Valid {
		http.Error(w, string(answer.Reason), http.StatusUnauthorized)
		return
	}
	session, err := s.ramz.Verify.Get(r.Context(), answer.ID)
	if err != nil {
		refuse(w, err)
		return
	}
	// Without the scope `numbers` the number is masked, and strangers whose masked numbers are the same would share a login.
	if !e164.MatchString(session.To) {
		refuse(w, errors.New("the API key needs the scope numbers"))
		return
	}
	random := make([]byte, 32)
	rand.Read(random)
	token := hex.EncodeToString(random)
	s.logins.Store(token, session.To) // In one form, however it was typed.
	cookie := &http.Cookie{Name: "session", Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	http.SetCookie(w, cookie) // Secure, too, behind https.
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) me(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie("session"); err == nil {
		if phone, ok := s.logins.Load(cookie.Value); ok {
			json.NewEncoder(w).Encode(map[string]any{"phone": phone})
			return
		}
	}
	http.Error(w, "not logged in", http.StatusUnauthorized)
}

// event is called with genuine events only. They come at least once.
func (s *server) event(_ context.Context, event *webhooks.Event) error {
	if _, seen := s.handled.Load(event.ID); seen {
		return nil
	}
	switch data := event.Data.(type) {
	case *ramz.Receipt:
		fmt.Println(event.Type, data.SessionID, data.Status)
	case *ramz.SessionEvent:
		fmt.Println(event.Type, data.SessionID, data.Session.Status)
	}
	s.handled.Store(event.ID, true) // After the work: what is left half done comes again.
	return nil
}

// refuse passes on what the visitor can do something about. A key that is refused, a limit of the account, no answer: these
// are for whoever runs this, and none of the visitor's business.
func refuse(w http.ResponseWriter, err error) {
	var refused *ramz.Error
	if !errors.As(err, &refused) || !isTheirs(refused) {
		log.Print(err)
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	if refused.RetryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprintf("%.0f", refused.RetryAfter.Seconds()))
	}
	http.Error(w, refused.Message, refused.Status)
}

func isTheirs(refused *ramz.Error) bool {
	switch refused.Code {
	case ramz.ErrorCodeSessionNotFound, ramz.ErrorCodeResendTooSoon, ramz.ErrorCodeTooManySends,
		ramz.ErrorCodeNumberLocked, ramz.ErrorCodeNumberRateLimited:
		return true
	}
	return refused.Field == "to" || refused.Field == "code"
}
