// Package webhooks verifies the callbacks of Ramz, which are signed as Standard Webhooks says, and signs some for tests.
//
//	event, err := webhooks.Verify(body, request.Header, secret)
//	if err != nil { … } // Answer 400: it is not genuine.
//	switch data := event.Data.(type) {
//	case *ramz.Receipt:
//	case *ramz.SessionEvent:
//	}
//
// [Handler] does the reading and answering, too.
package webhooks
