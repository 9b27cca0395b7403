package ramztest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// transport answers requests by a handler in the same process, streams included.
type transport struct{ handler http.Handler }

// RoundTrip returns with the head of the answer; its body follows as the handler writes it.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	answer := &answerWriter{header: http.Header{}, begun: make(chan struct{}), body: writer}
	own := request.Clone(request.Context())
	if own.Body == nil {
		own.Body = http.NoBody
	}
	stop := context.AfterFunc(request.Context(), func() { writer.CloseWithError(request.Context().Err()) })
	go func() {
		defer stop()
		defer own.Body.Close()
		t.handler.ServeHTTP(answer, own)
		answer.WriteHeader(http.StatusOK)
		writer.Close()
	}()
	select {
	case <-request.Context().Done():
		return nil, request.Context().Err()
	case <-answer.begun:
	}
	return &http.Response{
		Status:        http.StatusText(answer.status),
		StatusCode:    answer.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        answer.head,
		Body:          reader,
		ContentLength: -1,
		Request:       request,
	}, nil
}

// answerWriter is the handler's side of it.
type answerWriter struct {
	header http.Header
	once   sync.Once
	begun  chan struct{}
	status int
	head   http.Header
	body   *io.PipeWriter
}

func (w *answerWriter) Header() http.Header { return w.header }

func (w *answerWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.head = status, w.header.Clone()
		close(w.begun)
	})
}

func (w *answerWriter) Write(part []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(part)
}

// Flush does nothing beyond the head: a pipe keeps nothing back.
func (w *answerWriter) Flush() { w.WriteHeader(http.StatusOK) }
