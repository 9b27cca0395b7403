package rpcstatus

import (
	"encoding/binary"
	"strconv"
)

// Wire types of protobuf, see https://protobuf.dev/programming-guides/encoding.
const (
	varint = 0
	fixed8 = 1
	bytes  = 2
	fixed4 = 5
)

// eachField hands out the fields of a message, numbers as decimal text. It stops at what it can't read: an error with broken
// details is still that error.
func eachField(message []byte, visit func(number uint64, value []byte)) {
	for len(message) > 0 {
		tag, length := binary.Uvarint(message)
		if length <= 0 {
			return
		}
		message = message[length:]
		var value []byte
		var size uint64
		switch tag % 8 {
		case varint:
			number, length := binary.Uvarint(message)
			if length <= 0 {
				return
			}
			value, size = strconv.AppendUint(nil, number, 10), uint64(length)
		case bytes:
			whole, length := binary.Uvarint(message)
			if length <= 0 || whole > uint64(len(message)-length) {
				return
			}
			message = message[length:]
			value, size = message[:whole], whole
		case fixed8:
			size = 8
		case fixed4:
			size = 4
		default:
			return
		}
		if size > uint64(len(message)) {
			return
		}
		visit(tag/8, value)
		message = message[size:]
	}
}

// last field of that number as text, as protobuf has it where one is there twice; empty: there is none.
func last(message []byte, wanted uint64) string {
	var result string
	eachField(message, func(number uint64, value []byte) {
		if number == wanted {
			result = string(value)
		}
	})
	return result
}

// Detail of google.rpc.ErrorInfo as the service writes it: for the fake.
func Detail(code string) []byte {
	result := appendText(nil, 1, code)
	return appendText(result, 2, domain)
}

func appendText(message []byte, number uint64, text string) []byte {
	message = binary.AppendUvarint(message, number<<3|bytes)
	message = binary.AppendUvarint(message, uint64(len(text)))
	return append(message, text...)
}
