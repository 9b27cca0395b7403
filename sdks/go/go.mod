// The Go SDK of Ramz, see README.md. It needs nothing but Go's own library.
module github.com/ramz-verify/ramz/sdks/go

go 1.24
