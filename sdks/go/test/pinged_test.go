package test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	ramz "github.com/ramz-verify/ramz/sdks/go"
)

// path is what lies between the client and a server. Once its first connection is forgotten, as where a host loses its power or a
// firewall its table, that stays open, and whatever is sent down it vanishes.
type path struct {
	connections atomic.Int32
	isForgotten atomic.Bool
}

func (p *path) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := new(net.Dialer).DialContext(ctx, network, address)
	if p.connections.Add(1) > 1 || err != nil {
		return connection, err
	}
	return &forgettable{Conn: connection, path: p, closed: make(chan struct{})}, nil
}

type forgettable struct {
	net.Conn
	path   *path
	closed chan struct{}
	once   sync.Once
}

func (f *forgettable) Write(bytes []byte) (int, error) {
	if f.path.isForgotten.Load() {
		return len(bytes), nil
	}
	return f.Conn.Write(bytes)
}

func (f *forgettable) Read(bytes []byte) (int, error) {
	count, err := f.Conn.Read(bytes)
	if !f.path.isForgotten.Load() {
		return count, err
	}
	<-f.closed
	return 0, net.ErrClosed
}

func (f *forgettable) Close() error {
	f.once.Do(func() { close(f.closed) })
	return f.Conn.Close()
}

// It takes as long as the pings do: 8 s of the 20 that a call has.
func TestAConnectionThatIsForgottenIsLeftWithinACall(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.ProtoMajor != 2 {
			t.Errorf("%s", request.Proto)
		}
		_, _ = io.WriteString(answer, `{"id":"vrf_1"}`)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	way := &path{}
	own := http.DefaultTransport
	defer func() { http.DefaultTransport = own }()
	trusting := own.(*http.Transport).Clone()
	trusting.DialContext = way.dial
	trusting.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	trusting.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	http.DefaultTransport = trusting

	get := func() error {
		client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL(server.URL))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Verify.Get(t.Context(), "vrf_1")
		return err
	}
	for range 2 {
		if err := get(); err != nil {
			t.Fatal(err)
		}
	}
	if count := way.connections.Load(); count != 1 {
		t.Errorf("%d connections of clients that may share one", count)
	}
	way.isForgotten.Store(true)
	if err := get(); err != nil {
		t.Error(err)
	}
	if count := way.connections.Load(); count != 2 {
		t.Errorf("%d connections", count)
	}
}

// Instrumentation puts its own in place of Go's.
func TestATransportThatReplacesGosIsUsed(t *testing.T) {
	network := &network{replies: []reply{{Status: 200, Body: []byte(`{"id":"vrf_1"}`)}}}
	client, err := ramz.NewClient(ramz.WithAPIKey(exampleKey), ramz.WithBaseURL("https://verify.example"))
	if err != nil {
		t.Fatal(err)
	}
	own := http.DefaultTransport
	defer func() { http.DefaultTransport = own }()
	http.DefaultTransport = network
	if _, err := client.Verify.Get(t.Context(), "vrf_1"); err != nil || len(network.calls) != 1 {
		t.Errorf("%v, %d calls", err, len(network.calls))
	}
}
