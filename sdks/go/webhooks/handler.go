package webhooks

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// Callbacks are a few hundred bytes.
const largestBody = 1 << 20

// Handler receives callbacks. It answers 204 when handle returned nil, 400 to what is not genuine, and 500 when handle
// failed: then Ramz sends the event again. Events come at least once, so handle must bear one twice; its Event.ID tells.
func Handler(verifier Verifier, handle func(context.Context, *Event) error) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			response.Header().Set("Allow", http.MethodPost)
			http.Error(response, "callbacks are posted", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, largestBody))
		if err != nil {
			http.Error(response, "the body could not be read", http.StatusBadRequest)
			return
		}
		event, err := verifier.Verify(body, request.Header)
		var refused *SignatureError
		switch {
		case errors.As(err, &refused):
			http.Error(response, refused.Error(), http.StatusBadRequest)
			return
		case err != nil: // Our own fault, such as no secret: it must come again.
			http.Error(response, "the callback could not be verified", http.StatusInternalServerError)
			return
		}
		if err := handle(request.Context(), event); err != nil {
			http.Error(response, "the event could not be handled", http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	})
}
