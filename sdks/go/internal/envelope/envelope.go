// Package envelope reads and writes the messages of a stream of the Connect protocol: one byte of flags, four of length, then
// JSON. See https://connectrpc.com/docs/protocol.
package envelope

import (
	"encoding/binary"
	"errors"
	"io"
)

// ContentType of a stream.
const ContentType = "application/connect+json"

// EndOfStream is the flag of the last message, which tells how the stream ended.
const EndOfStream = 0b10

const (
	headLength = 5
	compressed = 0b01
)

var (
	// ErrTooLarge: the message is longer than the reader allows.
	ErrTooLarge = errors.New("the message is too large")
	// ErrCompressed: the message is compressed, which was not asked for.
	ErrCompressed = errors.New("the message is compressed")
)

// Read the next message. io.EOF: there is none; the stream was cut off if the last one was not that of its end.
func Read(from io.Reader, largest uint32) (flags byte, message []byte, err error) {
	var head [headLength]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	switch {
	case head[0]&compressed != 0:
		return 0, nil, ErrCompressed
	case length > largest:
		return 0, nil, ErrTooLarge
	}
	// Not made in one piece: the length is only what the other side says.
	message, err = io.ReadAll(io.LimitReader(from, int64(length)))
	if err == nil && uint32(len(message)) < length {
		err = io.ErrUnexpectedEOF
	}
	return head[0], message, err
}

// Of one message.
func Of(flags byte, message []byte) []byte {
	result := make([]byte, headLength, headLength+len(message))
	result[0] = flags
	binary.BigEndian.PutUint32(result[1:], uint32(len(message)))
	return append(result, message...)
}
