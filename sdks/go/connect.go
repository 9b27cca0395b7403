package ramz

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"github.com/ramz-verify/ramz/sdks/go/internal/codes"
	"google.golang.org/protobuf/encoding/protowire"
)

// domain of the service's reasons.
const domain = "ramz"

// FromConnect makes an [*Error] of an error that the stubs in ramzv1connect answered, over Connect, gRPC or gRPC-Web; other
// errors, nil among them, are answered as they are.
func FromConnect(err error) error {
	var wire *connect.Error
	if !errors.As(err, &wire) {
		return err
	}
	if !connect.IsWireError(err) && len(wire.Details()) == 0 {
		kind := KindNetwork
		switch wire.Code() {
		case connect.CodeDeadlineExceeded:
			kind = KindTimeout
		case connect.CodeCanceled:
			kind = KindCanceled
		}
		return &Error{Kind: kind, Message: wire.Message(), cause: err}
	}
	return fromWire(wire)
}

// fromWire reads what the service said of its error: google.rpc's details.
func fromWire(wire *connect.Error) *Error {
	result := &Error{
		Message:   wire.Message(),
		RequestID: wire.Meta().Get("X-Request-Id"),
		Details:   map[string]any{},
		cause:     wire,
	}
	result.RetryAfter, result.hasRetryAfter = retryAfter(wire.Meta())
	for _, detail := range wire.Details() {
		readDetail(result, detail.Type(), detail.Bytes())
	}
	result.Status = statusOf(result.Code, wire.Code())
	result.Kind = kindOf(result.Status, result.Code)
	return result
}

// readDetail knows the few messages of google.rpc that the service sends. They are read field by field: their Go types
// would bring a large module along, and can be registered only once in a program.
func readDetail(into *Error, name string, message []byte) {
	switch name {
	case "google.rpc.ErrorInfo":
		isOurs := false // Something on the way may have reasons of its own.
		eachField(message, func(number protowire.Number, value []byte) {
			isOurs = isOurs || (number == 2 && string(value) == domain)
		})
		if !isOurs {
			return
		}
		eachField(message, func(number protowire.Number, value []byte) {
			switch number {
			case 1:
				into.Code = string(value)
			case 3:
				entry := [3]string{}
				eachField(value, func(number protowire.Number, part []byte) {
					if number < 3 {
						entry[number] = string(part)
					}
				})
				into.Details[entry[1]] = entry[2]
			}
		})
	case "google.rpc.RequestInfo":
		eachField(message, func(number protowire.Number, value []byte) {
			if number == 1 {
				into.RequestID = string(value)
			}
		})
	case "google.rpc.BadRequest":
		eachField(message, func(number protowire.Number, violation []byte) {
			eachField(violation, func(inner protowire.Number, value []byte) {
				if number == 1 && inner == 1 && into.Field == "" {
					into.Field = string(value)
				}
			})
		})
	case "google.rpc.RetryInfo":
		eachField(message, func(number protowire.Number, delay []byte) {
			eachField(delay, func(inner protowire.Number, value []byte) {
				seconds, err := strconv.ParseUint(string(value), 10, 31)
				if number == 1 && inner == 1 && err == nil {
					into.RetryAfter, into.hasRetryAfter = time.Duration(seconds)*time.Second, true
				}
			})
		})
	}
}

// eachField hands out the fields of a message, numbers as decimal text. It stops at what it can't read.
func eachField(message []byte, visit func(protowire.Number, []byte)) {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return
		}
		message = message[length:]
		var value []byte
		switch kind {
		case protowire.BytesType:
			value, length = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			var whole uint64
			whole, length = protowire.ConsumeVarint(message)
			value = strconv.AppendUint(nil, whole, 10)
		default:
			length = protowire.ConsumeFieldValue(number, kind, message)
		}
		if length < 0 {
			return
		}
		visit(number, value)
		message = message[length:]
	}
}

// statusOf is the status that the same error has over REST.
func statusOf(code string, status connect.Code) int {
	if rules, isKnown := codes.RulesOf(code); isKnown {
		return rules.Status
	}
	switch status {
	case connect.CodeInvalidArgument, connect.CodeFailedPrecondition, connect.CodeOutOfRange:
		return http.StatusBadRequest
	case connect.CodeUnauthenticated:
		return http.StatusUnauthorized
	case connect.CodePermissionDenied:
		return http.StatusForbidden
	case connect.CodeNotFound:
		return http.StatusNotFound
	case connect.CodeAlreadyExists, connect.CodeAborted:
		return http.StatusConflict
	case connect.CodeResourceExhausted:
		return http.StatusTooManyRequests
	case connect.CodeUnavailable:
		return http.StatusServiceUnavailable
	case connect.CodeDeadlineExceeded:
		return http.StatusGatewayTimeout
	case connect.CodeUnimplemented:
		return http.StatusNotImplemented
	}
	return http.StatusInternalServerError
}
