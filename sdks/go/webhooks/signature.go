package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a callback.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const (
	secretPrefix    = "whsec_"
	signaturePrefix = "v1,"
	// Bytes, as Standard Webhooks has them.
	shortestKey = 24
	longestKey  = 64
	// A header as long as it may be should not make work.
	mostSignatures = 10
)

// ErrSecret: what was given as a secret is none. The callback says nothing about it.
var ErrSecret = errors.New("webhooks: a secret is whsec_ and base64 of 24 to 64 bytes")

// ErrTolerance: the tolerance of a [Verifier] is negative. The callback says nothing about it.
var ErrTolerance = errors.New("webhooks: the tolerance must not be negative")

// Reason why a callback is not genuine.
type Reason string

// Reasons of a [SignatureError].
const (
	ReasonMalformed Reason = "malformed" // A header is missing, or not what it must be.
	ReasonTooOld    Reason = "too_old"
	ReasonTooNew    Reason = "too_new"
	ReasonNoMatch   Reason = "no_match" // No signature is of this body and one of the secrets.
)

// SignatureError tells that a callback is not genuine: answer 400, and don't look at it.
type SignatureError struct {
	Reason Reason
	cause  error
}

func (e *SignatureError) Error() string { return "webhooks: not genuine: " + string(e.Reason) }

// Unwrap is what could not be read; nil but for what was signed and is no event.
func (e *SignatureError) Unwrap() error { return e.cause }

// Sign makes the headers of a callback, for tests of yours. at is cut off to whole seconds.
func Sign(body []byte, id string, at time.Time, secrets ...string) (http.Header, error) {
	keys, err := keysOf(secrets)
	if err != nil {
		return nil, err
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(keys))
	for index, key := range keys {
		signatures[index] = signaturePrefix + base64.StdEncoding.EncodeToString(sign(key, id, timestamp, body))
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set(HeaderID, id)
	header.Set(HeaderTimestamp, timestamp)
	header.Set(HeaderSignature, strings.Join(signatures, " "))
	return header, nil
}

// check returns nil when one of the signatures in the header was made with one of the keys.
func check(keys [][]byte, body []byte, header http.Header, now time.Time, tolerance time.Duration) error {
	id, timestamp := get(header, HeaderID), get(header, HeaderTimestamp)
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if id == "" || err != nil {
		return &SignatureError{Reason: ReasonMalformed}
	}
	age := now.Unix() - int64(seconds)
	isGenuine := false
	for index, part := range strings.Fields(get(header, HeaderSignature)) {
		if index == mostSignatures {
			break
		}
		text, isOurs := strings.CutPrefix(part, signaturePrefix)
		given, err := base64.StdEncoding.DecodeString(text)
		if !isOurs || err != nil {
			continue
		}
		for _, key := range keys {
			if subtle.ConstantTimeCompare(given, sign(key, id, timestamp, body)) == 1 {
				isGenuine = true
			}
		}
	}
	switch limit := int64(tolerance / time.Second); {
	case age > limit:
		return &SignatureError{Reason: ReasonTooOld}
	case -age > limit:
		return &SignatureError{Reason: ReasonTooNew}
	case !isGenuine:
		return &SignatureError{Reason: ReasonNoMatch}
	}
	return nil
}

func sign(key []byte, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// keysOf reads the secrets. None, or an empty one, is an error: a verification without a key would let everything through.
func keysOf(secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%w; none was given", ErrSecret)
	}
	keys := make([][]byte, len(secrets))
	for index, secret := range secrets {
		text, hasPrefix := strings.CutPrefix(secret, secretPrefix)
		key, err := base64.StdEncoding.DecodeString(text)
		if !hasPrefix || err != nil || len(key) < shortestKey || len(key) > longestKey {
			return nil, ErrSecret
		}
		keys[index] = key
	}
	return keys, nil
}

// get finds a header whatever its case: one that was not set by [http.Header.Set] may be in any. One that is there more than
// once is as if it were not.
func get(header http.Header, name string) string {
	var found []string
	for given, values := range header {
		if strings.EqualFold(given, name) {
			found = append(found, values...)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}
