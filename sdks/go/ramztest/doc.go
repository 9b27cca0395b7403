// Package ramztest is Ramz in memory, for tests of programs that use package ramz: no network, no service, no SMS.
//
//	fake := ramztest.New()
//	login := NewLogin(fake.Client())       // Your code, with a real client of package ramz.
//	login.Start(ctx, "+213550000001")
//	login.Finish(ctx, ramztest.Code)       // The code is zeros.
//	fake.Sent()                            // What would have been sent.
//	fake.Refuse("+213550000002", ramz.ErrorCodeUnsupportedDestination)
//
// The operations of Client.Verify behave like the service's, without its limits; what others answer is set by
// [Fake.Answer]. For webhooks, sign a body of your own with package webhooks.
package ramztest
