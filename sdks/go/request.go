package ramz

import (
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// operation is one method of the contract, as its REST binding has it. Those without a method are streams.
type operation struct {
	name           string
	method         string
	path           string // {} stands for each of pathFields.
	hasBody        bool
	pathFields     []string
	ids            []string // Fields of the answer that are never empty, and the same as in the request where that has them.
	idempotencyKey bool
	repeatable     bool
}

// wire is a request as it is sent.
type wire struct {
	target string // Path and query.
	body   []byte // nil: none.
}

// encode puts the request's fields where they go: the path, the body, or the query. The caller's message stays as it is.
func encode(op *operation, path []string, request proto.Message) (wire, *Error) {
	target, failure := fillPath(op, path)
	if failure != nil {
		return wire{}, failure
	}
	message := proto.Clone(request).ProtoReflect()
	if !message.IsValid() {
		message = message.New() // A nil request is an empty one.
	}
	for _, name := range op.pathFields {
		message.Clear(message.Descriptor().Fields().ByName(protoreflect.Name(name)))
	}
	cutTimes(message)
	if !op.hasBody {
		return wire{target: target + query(message)}, nil
	}
	body, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message.Interface())
	if err != nil {
		return wire{}, &Error{Kind: KindConfiguration, Operation: op.name, Message: err.Error(), cause: err}
	}
	return wire{target: target, body: body}, nil
}

// fillPath puts values in the path's places. What would leave its place, or be none, is refused here: no id looks like it.
func fillPath(op *operation, values []string) (string, *Error) {
	path := op.path
	for index, value := range values {
		if value == "" || value == "." || value == ".." {
			name := op.pathFields[index]
			message := "an empty " + name
			if value != "" {
				message = "no " + name + " is " + value
			}
			return "", &Error{Kind: KindConfiguration, Operation: op.name, Field: name, Message: message}
		}
		path = strings.Replace(path, "{}", escape(value), 1)
	}
	return path, nil
}

// query writes the fields that are given, in the order of the contract.
func query(message protoreflect.Message) string {
	var parts []string
	fields := message.Descriptor().Fields()
	for index := range fields.Len() {
		field := fields.Get(index)
		if !message.Has(field) {
			continue
		}
		values := []protoreflect.Value{message.Get(field)}
		if field.IsList() {
			values = nil
			for list, item := message.Get(field).List(), 0; item < list.Len(); item++ {
				values = append(values, list.Get(item))
			}
		}
		for _, value := range values {
			parts = append(parts, string(field.Name())+"="+escape(queryText(field, value)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

func queryText(field protoreflect.FieldDescriptor, value protoreflect.Value) string {
	if field.Message() == nil {
		return value.String()
	}
	// The contract has no other message in a query; a test holds that.
	instant := value.Message().Interface().(*timestamppb.Timestamp)
	if instant.Nanos == 0 {
		return instant.AsTime().Format(time.RFC3339)
	}
	return instant.AsTime().Format("2006-01-02T15:04:05.000Z07:00")
}

// escape is RFC 3986: everything but its unreserved characters. QueryEscape differs in the space alone.
func escape(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// cutTimes takes all times in the message to whole milliseconds, which is what the service keeps.
func cutTimes(message protoreflect.Message) {
	if instant, isTime := message.Interface().(*timestamppb.Timestamp); isTime {
		instant.Nanos -= instant.Nanos % int32(time.Millisecond)
		return
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap() || field.Message() == nil:
		case field.IsList():
			for list, item := value.List(), 0; item < list.Len(); item++ {
				cutTimes(list.Get(item).Message())
			}
		default:
			cutTimes(value.Message())
		}
		return true
	})
}
