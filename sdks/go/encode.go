package ramz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/ramz-verify/ramz/sdks/go/internal/fields"
)

// given calls visit for each field of the struct that request leads to and that is not empty, in the order of the contract.
// A list without entries is empty only where it is nil. A request that is nil has none.
func given(request reflect.Value, visit func(name string, value reflect.Value) error) error {
	if request.Kind() == reflect.Pointer || request.Kind() == reflect.Interface {
		request = request.Elem()
	}
	if !request.IsValid() {
		return nil
	}
	for index := range request.NumField() {
		value := request.Field(index)
		instant, isTime := value.Interface().(time.Time)
		if value.IsZero() || (isTime && instant.IsZero()) {
			continue
		}
		if err := visit(fields.Name(request.Type().Field(index)), value); err != nil {
			return err
		}
	}
	return nil
}

// appendJSON writes a value of a request. path is its place there, for errors.
func appendJSON(to []byte, path string, value reflect.Value) ([]byte, error) {
	if instant, isTime := value.Interface().(time.Time); isTime {
		return strconv.AppendQuote(to, timeText(instant)), nil
	}
	switch value.Kind() {
	case reflect.Pointer:
		return appendJSON(to, path, value.Elem())
	case reflect.Struct:
		return appendObject(to, path, value)
	case reflect.Slice:
		to = append(to, '[')
		for index := range value.Len() {
			if index > 0 {
				to = append(to, ',')
			}
			var err error
			if to, err = appendJSON(to, fmt.Sprintf("%s[%d]", path, index), value.Index(index)); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	case reflect.String:
		// It would be sent as another text.
		if !utf8.ValidString(value.String()) {
			return nil, notText(path)
		}
	case reflect.Map:
		for entries := value.MapRange(); entries.Next(); {
			if !utf8.ValidString(entries.Key().String()) || !utf8.ValidString(entries.Value().String()) {
				return nil, notText(path)
			}
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // A body is no part of a page, and may have 64 KiB at most.
	if err := encoder.Encode(value.Interface()); err != nil {
		return nil, &Error{Kind: KindConfiguration, Field: path, Message: err.Error(), Err: err}
	}
	return append(to, bytes.TrimSuffix(text.Bytes(), []byte{'\n'})...), nil
}

func notText(path string) *Error {
	return &Error{Kind: KindConfiguration, Field: path, Message: "text that is not UTF-8"}
}

func appendObject(to []byte, path string, object reflect.Value) ([]byte, error) {
	to = append(to, '{')
	start := len(to)
	err := given(object, func(name string, value reflect.Value) (err error) {
		if len(to) > start {
			to = append(to, ',')
		}
		to = strconv.AppendQuote(to, name)
		to = append(to, ':')
		if path != "" {
			name = path + "." + name
		}
		to, err = appendJSON(to, name, value)
		return err
	})
	return append(to, '}'), err
}

// timeText is an instant in UTC, in whole milliseconds, which is what the service keeps.
func timeText(instant time.Time) string {
	instant = instant.UTC().Truncate(time.Millisecond)
	if instant.Nanosecond() == 0 {
		return instant.Format(time.RFC3339)
	}
	return instant.Format("2006-01-02T15:04:05.000Z07:00")
}
