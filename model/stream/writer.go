package stream

import (
	"fmt"
	"io"
	"strconv"
)

// writerBytes is how much a Writer gathers before it writes.
const writerBytes = 64 << 10

// Writer puts messages into a container. What it has gathered is written by
// Flush, and whenever 64 KiB are full.
type Writer struct {
	w         io.Writer
	container Container
	buf       []byte
	msg       []byte
	err       error
}

// NewWriter returns a Writer to w. Around w a gzip.Writer makes what a Reader
// takes as well; Flush the Writer, then close that. Auto stands for Raw.
func NewWriter(w io.Writer, c Container) *Writer {
	if c == Auto {
		c = Raw
	}
	return &Writer{w: w, container: c}
}

// Write encodes a message. In Lines, LSN and LineXid come before it.
func (w *Writer) Write(m *Message) error {
	if w.err != nil {
		return w.err
	}
	msg, err := AppendMessage(w.msg[:0], m)
	if err != nil {
		return err
	}
	w.msg = msg
	return w.WriteEncoded(m.LSN, m.LineXid, msg)
}

// WriteEncoded writes the bytes of one message, as the Append functions make
// them. Only Lines uses lsn and xid.
func (w *Writer) WriteEncoded(lsn LSN, xid uint32, msg []byte) error {
	if w.err != nil {
		return w.err
	}
	switch w.container {
	case Raw:
		w.buf = append(w.buf, msg...)
	case Lines:
		w.buf = appendLSN(w.buf, lsn)
		w.buf = append(w.buf, '\t')
		w.buf = strconv.AppendUint(w.buf, uint64(xid), 10)
		w.buf = appendHex(append(w.buf, '\t'), msg)
	case Hex:
		w.buf = appendHex(w.buf, msg)
	default:
		w.err = fmt.Errorf("stream: cannot write %s", w.container)
		return w.err
	}
	w.buf = append(w.buf, '\n')
	if len(w.buf) >= writerBytes {
		return w.Flush()
	}
	return nil
}

// Flush writes what was gathered. After an error nothing more is written.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	n, err := w.w.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.buf, w.err = w.buf[:0], err
	return err
}

const hexDigitsLower = "0123456789abcdef"

func appendHex(dst, src []byte) []byte {
	for _, c := range src {
		dst = append(dst, hexDigitsLower[c>>4], hexDigitsLower[c&15])
	}
	return dst
}

// appendLSN appends what LSN.String returns.
func appendLSN(dst []byte, l LSN) []byte {
	start := len(dst)
	dst = strconv.AppendUint(dst, uint64(l>>32), 16)
	dst = append(dst, '/')
	dst = strconv.AppendUint(dst, uint64(uint32(l)), 16)
	for i, c := range dst[start:] {
		if c >= 'a' {
			dst[start+i] = c - 'a' + 'A'
		}
	}
	return dst
}
