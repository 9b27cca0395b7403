// Package fields finds the fields of a struct by the names that the contract gives them, which are those of its JSON tags.
package fields

import (
	"reflect"
	"strings"
)

// Name of a field in the contract.
func Name(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// Of a struct that pointer leads to; the zero Value where it has no such field, or where pointer is nil.
func Of(pointer any, name string) reflect.Value {
	value := reflect.ValueOf(pointer)
	if value.Kind() != reflect.Pointer || value.IsNil() || value.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	own := value.Elem()
	for index := range own.NumField() {
		if Name(own.Type().Field(index)) == name {
			return own.Field(index)
		}
	}
	return reflect.Value{}
}

// Text of a field; empty where there is none of that name.
func Text(pointer any, name string) string {
	if field := Of(pointer, name); field.Kind() == reflect.String {
		return field.String()
	}
	return ""
}
