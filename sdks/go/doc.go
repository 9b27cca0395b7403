// Package ramz is the client of Ramz, an open, self-hosted service that proves that somebody controls a phone number.
//
//	client, err := ramz.NewClient() // RAMZ_BASE_URL, RAMZ_API_KEY
//	session, err := client.Verify.Send(ctx, &ramz.SendRequest{To: "+213550000001"})
//	result, err := client.Verify.Check(ctx, &ramz.CheckRequest{Id: session.Id, Code: typed})
//	if result.GetValid() { … }
//
// # Names
//
// Messages, constants and operations are made from the protobuf contract, and are written as protoc-gen-go writes them
// (Id, ApiKey). Messages are those of package ramzv1 under this package's name. Statuses, reasons and codes are plain
// strings with constants for those known today: words of the future pass through.
//
// A field that may be absent is a pointer ([Ptr] makes one). Times are [timestamppb.Timestamp]; [Time] turns one that is
// absent into the zero time, where AsTime would say 1970. Package encoding/json writes and reads pointers to messages as the
// service does.
//
// # Transport
//
// Calls are JSON over REST: the door that every proxy understands, every other Ramz SDK uses and curl can replay, with one
// retry rule and one shape of error. Watch needs a stream and uses the Connect protocol over the same HTTP client and
// address. Who wants gRPC for everything takes the stubs in ramzv1/ramzv1connect, with [FromConnect] for their errors.
//
// # Errors
//
// Every error of a call is an [*Error]. A wrong code is not an error: look at Valid. Compare kinds by [errors.Is]
// ([ErrNotFound], [ErrRateLimit], …), codes by [CodeOf], and get at the rest by [errors.As].
package ramz
