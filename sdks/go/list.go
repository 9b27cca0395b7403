package ramz

import (
	"context"
	"iter"
	"net/http"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// page is a message of the contract that answers a part of a list.
type page[Message any] interface {
	*Message
	proto.Message
	GetNextPageToken() string
}

// list goes over the items of all pages. Each range over it begins anew. A page that came before would go on for ever: it
// is an error.
func list[Message any, Page page[Message], Item any](ctx context.Context, c *core, op *operation, path []string, request proto.Message, items func(Page) []Item, options []CallOption) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		next := proto.Clone(request).ProtoReflect()
		if !next.IsValid() {
			next = next.New()
		}
		token := next.Descriptor().Fields().ByName("page_token")
		seen := map[string]bool{}
		for {
			answer := Page(new(Message))
			if failure := c.do(ctx, op, path, next.Interface(), answer, options); failure != nil {
				var none Item
				yield(none, failure)
				return
			}
			for _, item := range items(answer) {
				if !yield(item, nil) {
					return
				}
			}
			following := answer.GetNextPageToken()
			if following == "" {
				return
			}
			if seen[following] {
				var none Item
				yield(none, &Error{Kind: KindServer, Operation: op.name, Status: http.StatusOK, Message: "a page that came before", Details: map[string]any{}})
				return
			}
			seen[following] = true
			next.Set(token, protoreflect.ValueOfString(following))
		}
	}
}
