package server

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"strings"
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

	holding bool        // COPY commands wait for their turn
	held    []*heldCopy // all so far
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
	k := &link{}
	go func() {
		p.ask(k, server, bufio.NewReaderSize(client, 64<<10))
		server.Close()
	}()
	p.forward(k, client, bufio.NewReaderSize(server, 64<<10))
}

// link is a connection of a worker's.
type link struct {
	slot  string    // that it streams from or has made; "" if not known
	copy  *heldCopy // what it has copied; nil if it is the apply worker's
	begun bool      // the length of the first message has been read
}

// ask passes on what the client sends: a startup message without a type, then messages as
// the server's. A COPY waits if it must.
func (p *proxy) ask(k *link, server io.Writer, client *bufio.Reader) {
	var message []byte
	for {
		head := 5
		if !k.begun {
			head = 4
		}
		b, err := client.Peek(head)
		if err != nil {
			return
		}
		n := int(binary.BigEndian.Uint32(b[head-4:]))
		if n < 4 {
			return
		}
		n += head - 4
		k.begun = true
		if cap(message) < n {
			message = make([]byte, n)
		}
		message = message[:n]
		if _, err := io.ReadFull(client, message); err != nil {
			return
		}
		if head == 5 && message[0] == 'Q' {
			p.query(k, strings.TrimRight(string(message[5:]), "\x00"))
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// query looks at a command of a worker's.
func (p *proxy) query(k *link, sql string) {
	if rest, ok := strings.CutPrefix(sql, "CREATE_REPLICATION_SLOT \""); ok {
		k.slot, _, _ = strings.Cut(rest, "\"")
	}
	if !strings.HasPrefix(sql, "COPY ") {
		return
	}
	h := readCopy(sql)
	h.slot = k.slot
	p.mu.Lock()
	k.copy = h
	p.held = append(p.held, h)
	wait := p.holding
	p.mu.Unlock()
	if wait {
		<-h.release
	}
}

// hold makes COPY commands wait until they are released, or lets them pass.
func (p *proxy) hold(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holding = on
}

// copies is how many COPY commands there have been.
func (p *proxy) copies() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}

// copy is the n-th COPY command, from 0; nil if it has not come yet.
func (p *proxy) copy(n int) *heldCopy {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < len(p.held) {
		return p.held[n]
	}
	return nil
}

// forward passes on what the server sends: messages of a type byte, a length that
// includes itself, and content.
func (p *proxy) forward(k *link, client io.Writer, server *bufio.Reader) {
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
		p.see(k, message)
		out.Write(message)
		if server.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

// What XLogData has before its content: w, where the WAL begins and ends, a time.
const xlogDataHeader = 1 + 8 + 8 + 8

// see keeps a message of the server's if it is one of pgoutput's.
func (p *proxy) see(k *link, message []byte) {
	if message[0] != 'd' || len(message) < 5+xlogDataHeader+1 || message[5] != 'w' {
		return
	}
	lsn := binary.BigEndian.Uint64(message[6:])
	data := message[5+xlogDataHeader:]
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := k.copy; h != nil {
		h.xid = transaction(data, h.xid)
		h.messages = append(h.messages, []string{fmt.Sprintf("%X/%X", lsn>>32, uint32(lsn)), fmt.Sprint(h.xid), hex.EncodeToString(data)})
		return
	}
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
