package test

import (
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// The clock is that of testing/synctest: pauses and timeouts pass at once, and can be measured to the nanosecond.
func TestRetries(t *testing.T) {
	var file struct {
		Cases []struct {
			Name       string          `json:"name"`
			Operation  string          `json:"operation"`
			Arguments  json.RawMessage `json:"arguments"`
			MaxRetries *int            `json:"max_retries"`
			TotalMs    *int            `json:"total_timeout_ms"`
			Responses  []reply         `json:"responses"`
			Expect     struct {
				Calls   int            `json:"calls"`
				WaitsMs [][2]float64   `json:"waits_ms"`
				OK      string         `json:"ok"`
				Done    bool           `json:"done"`
				Error   ramz.Kind      `json:"error"`
				Code    ramz.ErrorCode `json:"code"`
			} `json:"expect"`
		} `json:"cases"`
	}
	vectors(t, "retries.json", &file)
	for _, vector := range file.Cases {
		t.Run(vector.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &network{replies: vector.Responses}
				options := []ramz.Option{}
				if vector.MaxRetries != nil {
					options = append(options, ramz.WithMaxRetries(*vector.MaxRetries))
				}
				if vector.TotalMs != nil {
					options = append(options, ramz.WithTotalTimeout(ms(vector.TotalMs)))
				}
				answers, err := operate(t, network.client(t, options...), vector.Operation, vector.Arguments)
				expect := vector.Expect
				if len(network.calls) != expect.Calls || len(expect.WaitsMs) != expect.Calls-1 {
					t.Fatalf("%d calls, want %d", len(network.calls), expect.Calls)
				}
				for index, bounds := range expect.WaitsMs {
					before, after := network.calls[index], network.calls[index+1]
					waited := float64(after.begun.Sub(before.ended)) / float64(time.Millisecond)
					if waited < bounds[0] || waited > bounds[1] {
						t.Errorf("waited %v ms, want %v", waited, bounds)
					}
					if before.header.Get("Idempotency-Key") != after.header.Get("Idempotency-Key") {
						t.Error("the idempotency key has changed")
					}
				}
				if expect.Done {
					if err != nil {
						t.Errorf("%v, though it was done", err)
					}
					return
				}
				if expect.OK != "" {
					if err != nil || at(asMap(t, answers[0]), "id") != expect.OK {
						t.Errorf("%v %v, want %s", answers, err, expect.OK)
					}
					return
				}
				var failure *ramz.Error
				if !errors.As(err, &failure) || failure.Kind != expect.Error || failure.Code != expect.Code {
					t.Errorf("%v, want %s %s", err, expect.Error, expect.Code)
				}
				if !errors.Is(err, sentinels[expect.Error]) {
					t.Errorf("%v is not found by its kind", err)
				}
			})
		})
	}
}

func TestRetriesEndWithTheContext(t *testing.T) {
	busy := reply{Status: 503, Headers: map[string]string{"retry-after": "30"}, Body: json.RawMessage(`{"error":{"code":"overloaded"}}`)}
	synctest.Test(t, func(t *testing.T) {
		network := &network{replies: []reply{busy, busy}}
		ctx, cancel := contextFor(t, 20*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := network.client(t).Verify.Get(ctx, "vrf_1")
		if ramz.CodeOf(err) != ramz.ErrorCodeOverloaded || len(network.calls) != 1 || time.Since(begun) != 0 {
			t.Errorf("%v after %s and %d calls: it can't be done in time, so why wait?", err, time.Since(begun), len(network.calls))
		}
	})
}
