package server

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Relay stands between a walsender and who reads from it. It lets each message wait, as a
// network with a round trip does, and counts them.
type Relay struct {
	Delay time.Duration // in each direction

	listener net.Listener
	target   string
	mu       sync.Mutex
	counts   map[string]Passed
}

// Passed are messages of a kind.
type Passed struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"` // with type and length
}

// NewRelay listens on the loopback for connections to the server on a port.
func NewRelay(port int, delay time.Duration) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{Delay: delay, listener: l, target: fmt.Sprintf("127.0.0.1:%d", port), counts: map[string]Passed{}}
	go r.serve()
	return r, nil
}

// Port is where it listens.
func (r *Relay) Port() int { return r.listener.Addr().(*net.TCPAddr).Port }

// Close ends it; connections go on.
func (r *Relay) Close() { r.listener.Close() }

// Counts are the messages so far, by direction and kind: > stands for those from the
// server, < for those to it, then come the type of the message and, of CopyData, that of
// what is in it.
func (r *Relay) Counts() map[string]Passed {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]Passed{}
	for k, v := range r.counts {
		out[k] = v
	}
	return out
}

func (r *Relay) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			client.Close()
			continue
		}
		go r.forward(server, client, "<", true)
		go r.forward(client, server, ">", false)
	}
}

// parcel is a message on its way.
type parcel struct {
	due  time.Time
	text []byte
}

// forward passes messages on, each after its delay.
func (r *Relay) forward(to, from net.Conn, direction string, startup bool) {
	defer to.Close()
	defer from.Close()
	in := bufio.NewReaderSize(from, 256<<10)
	way := make(chan parcel, 1<<16)
	go func() {
		defer to.Close()
		for p := range way {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.text); err != nil {
				from.Close()
				for range way { // until the reader ends
				}
				return
			}
		}
	}()
	defer close(way)
	for {
		text, err := wireMessage(in, startup)
		if err != nil {
			return
		}
		startup = false
		r.count(direction, text)
		way <- parcel{time.Now().Add(r.Delay), text}
	}
}

// wireMessage reads a message; the first one of a client has no type.
func wireMessage(in *bufio.Reader, startup bool) ([]byte, error) {
	at := 1
	if startup {
		at = 0
	}
	head, err := in.Peek(at + 4)
	if err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head[at:]))
	if n < 4 || n > 1<<30 {
		return nil, fmt.Errorf("a message of %d bytes", n)
	}
	text := make([]byte, at+n)
	_, err = io.ReadFull(in, text)
	return text, err
}

func (r *Relay) count(direction string, text []byte) {
	key := direction + string(text[0])
	if text[0] == 'd' && len(text) > 5 {
		key += string(text[5])
	}
	r.mu.Lock()
	c := r.counts[key]
	c.Messages++
	c.Bytes += int64(len(text))
	r.counts[key] = c
	r.mu.Unlock()
}
