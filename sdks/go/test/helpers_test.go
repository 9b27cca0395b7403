package test

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func typeName(value any) string { return fmt.Sprintf("%T", value) }

func contextFor(t *testing.T, timeout time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), timeout)
}
