// Package codes holds what the contract says of error codes.
package codes

import "net/http"

// Rules of an error code.
type Rules struct {
	// Status of HTTP.
	Status int
	// Repeat: the same call may succeed after a short wait.
	Repeat bool
}

// KindOf is the kind of error that a status means, as ramz.Kind has it. Without a code the answer is not one of Ramz, and the
// error nobody's but the server's.
func KindOf(status int, code string) string {
	switch {
	case code == "":
		return "server"
	case status == http.StatusUnauthorized:
		return "authentication"
	case status == http.StatusForbidden:
		return "permission_denied"
	case status == http.StatusNotFound:
		return "not_found"
	case status == http.StatusConflict:
		return "conflict"
	case status == http.StatusTooManyRequests:
		return "rate_limit"
	case status >= 400 && status < 500:
		return "invalid_request"
	}
	return "server"
}
