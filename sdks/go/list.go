package ramz

import (
	"context"
	"iter"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// page is a message of the contract that answers a part of a list.
type page[Message any] interface {
	*Message
	proto.Message
	GetNextPageToken() string
}

// list goes over the items of all pages. Each range over it begins anew.
func list[Message any, Page page[Message], Item any](ctx context.Context, c *core, op *operation, path []string, request proto.Message, items func(Page) []Item, options []CallOption) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		next := proto.Clone(request).ProtoReflect()
		if !next.IsValid() {
			next = next.New()
		}
		token := next.Descriptor().Fields().ByName("page_token")
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
			if following == "" || following == next.Get(token).String() {
				return // The same page again would go on for ever.
			}
			next.Set(token, protoreflect.ValueOfString(following))
		}
	}
}
