package test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
)

// Streams of the Connect protocol, as a service writes them: https://connectrpc.com/docs/protocol.

const (
	streamType  = "application/connect+json"
	endOfStream = 0b10
)

// writeMessage at once, so that a stream that breaks has had it.
func writeMessage(response http.ResponseWriter, flags byte, message any) {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	head := binary.BigEndian.AppendUint32([]byte{flags}, uint32(len(text)))
	_, _ = response.Write(append(head, text...)) // The reader may have gone.
	response.(http.Flusher).Flush()
}

func writeEnd(response http.ResponseWriter, word string, info []byte) {
	writeMessage(response, endOfStream, map[string]any{"error": map[string]any{
		"code": word, "message": "the text",
		"details": []map[string]string{{"type": "google.rpc.ErrorInfo", "value": base64.RawStdEncoding.EncodeToString(info)}},
	}})
}

// errorInfo is a google.rpc.ErrorInfo in protobuf.
func errorInfo(reason, domain string) []byte {
	message := append([]byte{0x0a, byte(len(reason))}, reason...)
	return append(append(message, 0x12, byte(len(domain))), domain...)
}
