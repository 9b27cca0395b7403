package ramz

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"
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
	method string
	target string // Path and query.
	body   []byte // nil: none.
}

// encode puts the request's fields where they go: the path, the body, or the query.
func encode(op *operation, path []string, request any) (wire, *Error) {
	target, failure := fillPath(op, path)
	if failure != nil {
		return wire{}, failure
	}
	message := wire{method: op.method, target: target}
	var err error
	if op.hasBody {
		message.body, err = appendObject(nil, "", reflect.ValueOf(request))
	} else {
		var query string
		query, err = queryOf(reflect.ValueOf(request))
		message.target += query
	}
	if err != nil {
		failure = err.(*Error) // Nothing else is made there.
		failure.Operation = op.name
		return wire{}, failure
	}
	return message, nil
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

// queryOf writes the fields that are given, lists once for each entry.
func queryOf(request reflect.Value) (string, error) {
	query := ""
	err := given(request, func(name string, value reflect.Value) error {
		values := []reflect.Value{value}
		if value.Kind() == reflect.Slice {
			values = nil
			for index := range value.Len() {
				values = append(values, value.Index(index))
			}
		}
		for _, one := range values {
			separator := "&"
			if query == "" {
				separator = "?"
			}
			query += separator + name + "=" + escape(queryText(one))
		}
		return nil
	})
	return query, err
}

func queryText(value reflect.Value) string {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if instant, isTime := value.Interface().(time.Time); isTime {
		return timeText(instant)
	}
	return fmt.Sprint(value.Interface())
}

// escape is RFC 3986: everything but its unreserved characters. QueryEscape differs in the space alone.
func escape(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
