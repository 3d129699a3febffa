package server

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"sync"
)

// proxy stands between a subscriber and its publisher and keeps the messages of
// pgoutput that pass: the very stream that is applied. Decoding the same WAL once
// more may give another one: whether a transaction that was rolled back is streamed,
// and how far, depends on when it is decoded.
type proxy struct {
	listener net.Listener
	target   string

	mu       sync.Mutex
	messages [][]string // LSN, transaction, hex of the message
	xid      uint32     // of the messages that follow
	block    bool       // they belong to a block of a streamed transaction

	described [][]string // relations and types, as if not streamed
}

// newProxy listens on the loopback for connections to the server on a port.
func newProxy(port int) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: fmt.Sprintf("127.0.0.1:%d", port)}
	go p.serve()
	return p, nil
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *proxy) close() { p.listener.Close() }

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.connection(client)
	}
}

func (p *proxy) connection(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		io.Copy(server, client)
		server.Close()
	}()
	p.forward(client, bufio.NewReaderSize(server, 64<<10))
}

// forward passes on what the server sends: messages of a type byte, a length that
// includes itself, and content.
func (p *proxy) forward(client io.Writer, server *bufio.Reader) {
	out := bufio.NewWriterSize(client, 64<<10)
	var message []byte
	for {
		head, err := server.Peek(5)
		if err != nil {
			return
		}
		n := int(binary.BigEndian.Uint32(head[1:]))
		if n < 4 {
			return
		}
		if cap(message) < n+1 {
			message = make([]byte, n+1)
		}
		message = message[:n+1]
		if _, err := io.ReadFull(server, message); err != nil {
			return
		}
		p.see(message)
		out.Write(message)
		if server.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

// What XLogData has before its content: w, where the WAL begins and ends, a time.
const xlogDataHeader = 1 + 8 + 8 + 8

// see keeps a message of the server's if it is one of pgoutput's.
func (p *proxy) see(message []byte) {
	if message[0] != 'd' || len(message) < 5+xlogDataHeader+1 || message[5] != 'w' {
		return
	}
	lsn := binary.BigEndian.Uint64(message[6:])
	data := message[5+xlogDataHeader:]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.xid = transaction(data, p.xid)
	line := func(data []byte) []string {
		return []string{fmt.Sprintf("%X/%X", lsn>>32, uint32(lsn)), fmt.Sprint(p.xid), hex.EncodeToString(data)}
	}
	p.messages = append(p.messages, line(data))
	switch data[0] {
	case 'S':
		p.block = true
	case 'E':
		p.block = false
	case 'R', 'Y':
		if p.block { // the transaction stands behind the type byte
			data = append([]byte{data[0]}, data[1+4:]...)
		}
		p.described = append(p.described, line(data))
	}
}

// transaction is the publisher's transaction that a message belongs to.
func transaction(data []byte, current uint32) uint32 {
	at := 0
	switch data[0] {
	case 'B': // final LSN, time, xid
		at = 1 + 8 + 8
	case 'b': // two LSNs, time, xid
		at = 1 + 8 + 8 + 8
	case 'P', 'K', 'p': // flags, two LSNs, time, xid
		at = 1 + 1 + 8 + 8 + 8
	case 'r': // flags, two LSNs, two times, xid
		at = 1 + 1 + 8 + 8 + 8 + 8
	case 'S', 'c', 'A': // xid
		at = 1
	default:
		return current
	}
	if len(data) < at+4 {
		return current
	}
	return binary.BigEndian.Uint32(data[at:])
}

// reset forgets the messages so far, except for the descriptions of relations and
// types, which are sent only once.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = p.described
}

// passed returns the messages since the last reset.
func (p *proxy) passed() [][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.messages
}
