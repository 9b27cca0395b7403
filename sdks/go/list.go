package ramz

import (
	"context"
	"iter"
	"net/http"

	"github.com/ramz-verify/ramz/sdks/go/internal/fields"
)

// list goes over the items of all pages; read tells a page's items, and the token of the next one. Each range over it begins
// with the first page. A page that came before would have no end: it is an error.
func list[Request, Page, Item any](ctx context.Context, c *core, op *operation, path []string, request *Request, read func(*Page) ([]Item, string), options []CallOption) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		next := new(Request) // The caller's stays as it is.
		if request != nil {
			*next = *request
		}
		seen := map[string]bool{}
		for {
			page, err := call[Page](ctx, c, op, path, next, options)
			if err != nil {
				yield(nil, err)
				return
			}
			items, token := read(page)
			for index := range items {
				if !yield(&items[index], nil) {
					return
				}
			}
			if token == "" {
				return
			}
			if seen[token] {
				yield(nil, &Error{Kind: KindServer, Operation: op.name, Status: http.StatusOK, Message: "a page that came before", Details: map[string]any{}})
				return
			}
			seen[token] = true
			fields.Of(next, "page_token").SetString(token)
		}
	}
}
