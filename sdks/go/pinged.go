package ramz

import (
	"net/http"
	"sync"
	"time"
)

// HTTP/2 sends many calls over one connection, and keeps it when one of them runs out of time. Where its other end has vanished
// (a host without power, a firewall without its table), every call would go down it until the system gives it up, after a quarter of
// an hour. So one that brings nothing for pingAfter is pinged, and left when nothing comes for pingTimeout: sooner than
// DefaultTimeout, so that the next attempt has another.
const (
	pingAfter   = 5 * time.Second
	pingTimeout = 3 * time.Second
)

// ownTransport is made once for all clients, so that they use each other's connections.
var ownTransport struct {
	sync.Mutex
	source, pinged *http.Transport
}

// defaultTransport is [http.DefaultTransport], looked up at each call, because instrumentation replaces it. A transport of Go's own
// type is used as a copy with pings, unless it has settings of HTTP/2 already.
func defaultTransport() http.RoundTripper {
	source, isGo := http.DefaultTransport.(*http.Transport)
	if !isGo || source.HTTP2 != nil {
		return http.DefaultTransport
	}
	ownTransport.Lock()
	defer ownTransport.Unlock()
	if ownTransport.source != source {
		pinged := source.Clone()
		pinged.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
		ownTransport.source, ownTransport.pinged = source, pinged
	}
	return ownTransport.pinged
}
