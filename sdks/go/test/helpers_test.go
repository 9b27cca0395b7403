package test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func typeName(value any) string { return fmt.Sprintf("%T", value) }

func contextFor(t *testing.T, timeout time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), timeout)
}

// asMap is what a user reads from a struct, by the names of the contract. What is absent is nil there, but for lists.
func asMap(t *testing.T, pointer any) map[string]any {
	t.Helper()
	fields, isStruct := plain(reflect.ValueOf(pointer)).(map[string]any)
	if !isStruct {
		t.Fatalf("%T is no pointer to a struct", pointer)
	}
	return fields
}

func plain(value reflect.Value) any {
	if instant, isTime := value.Interface().(time.Time); isTime {
		if instant.IsZero() {
			return nil
		}
		return instant.Format(time.RFC3339Nano)
	}
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return plain(value.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		for index := range value.NumField() {
			name, _, _ := strings.Cut(value.Type().Field(index).Tag.Get("json"), ",")
			fields[name] = plain(value.Field(index))
		}
		return fields
	case reflect.Slice:
		items := []any{}
		for index := range value.Len() {
			items = append(items, plain(value.Index(index)))
		}
		return items
	case reflect.Map:
		entries := map[string]any{}
		for each := value.MapRange(); each.Next(); {
			entries[each.Key().String()] = plain(each.Value())
		}
		return entries
	case reflect.String:
		return value.String()
	case reflect.Int:
		return float64(value.Int()) // As JSON has it.
	}
	return value.Interface()
}
