// Package codes holds what the contract says of error codes.
package codes

// Rules of an error code.
type Rules struct {
	// Status of HTTP.
	Status int
	// Repeat: the same call may succeed after a short wait.
	Repeat bool
}
