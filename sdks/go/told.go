package ramz

import (
	"github.com/ramz-verify/ramz/sdks/go/ramzv1"
	"google.golang.org/protobuf/proto"
)

// told is what a watch has told so far. A connection that is made again starts from the beginning: with the whole timeline
// as new, and maybe with nothing new at all.
type told struct {
	session *ramzv1.Session
	entries int
}

// isNews tells whether the message says more than those before, and leaves only the new in its entries. Messages of other
// streams than that of a session are news.
func (t *told) isNews(message any) bool {
	update, isSession := message.(*ramzv1.WatchSessionResponse)
	if !isSession || update.GetSession() == nil {
		return true
	}
	session := update.GetSession()
	if proto.Equal(session, t.session) {
		return false
	}
	timeline := session.GetTimeline()
	if len(timeline) > 0 {
		update.NewEntries = timeline[min(t.entries, len(timeline)):]
	}
	t.entries = max(t.entries, len(timeline))
	t.session = proto.Clone(session).(*ramzv1.Session) // The caller may change theirs.
	return true
}
