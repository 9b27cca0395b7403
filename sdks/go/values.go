package ramz

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// Ptr is a pointer to value, for fields that may be absent: CodeLength: ramz.Ptr(int32(8)).
func Ptr[T any](value T) *T { return &value }

// Time is the instant of a field, in UTC, or the zero time where it is absent.
func Time(field *timestamppb.Timestamp) time.Time {
	if field == nil {
		return time.Time{}
	}
	return field.AsTime()
}

// Timestamp is a field that holds an instant; nothing for the zero time. It is sent in whole milliseconds.
func Timestamp(instant time.Time) *timestamppb.Timestamp {
	if instant.IsZero() {
		return nil
	}
	return timestamppb.New(instant)
}
