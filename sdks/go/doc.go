// Package ramz is the client of Ramz, an open, self-hosted service that verifies phone numbers with a code.
//
//	client, err := ramz.NewClient() // RAMZ_BASE_URL, RAMZ_API_KEY
//	session, err := client.Verify.Send(ctx, &ramz.SendRequest{To: "+213550000001"})
//	result, err := client.Verify.Check(ctx, &ramz.CheckRequest{ID: session.ID, Code: typed})
//	if result.Valid { … }
//
// It needs nothing but Go's own library.
//
// # Types
//
// Requests and responses are plain structs: copy them, keep them, write them as JSON. Their names are those of the API, and
// [encoding/json] writes a response as the service does ("valid":false is there, what is absent is left out) and reads it back.
//
//   - A time is a [time.Time]. If it is absent, its IsZero is true.
//   - Statuses, reasons and codes have types of their own, such as [SessionStatus], with constants for the values that this version
//     knows. New values pass through; a plain string can be used as one.
//   - An object that may be absent is a pointer. So is a number or a text for which 0 or "" is another thing than absent, such as
//     UpdateAccountRequest.DefaultSenderID; [Ptr] makes one.
//   - Fields of a request that are empty are not sent. A list is empty when it is nil: one without entries, such as []ramz.Scope{},
//     is sent as [], which in an update means "none".
//   - Fields of a response that this version does not know are left out. [WithOnResponse] sees the headers of a response.
//
// # Transport
//
// Calls are JSON over REST, and Watch is a stream of the Connect protocol, at the same address and through the same
// [net/http.Client]. Stubs for gRPC are in a module of their own, sdks/go/grpc.
//
// # Errors
//
// Every error of a call is an [*Error]. A wrong code is not an error: look at Valid. Compare kinds by [errors.Is]
// ([ErrNotFound], [ErrRateLimit], …), codes by [CodeOf], and get at the rest by [errors.As].
package ramz
