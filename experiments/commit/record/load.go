//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"applysim/experiments/server"
)

// load is a number of clients.
type load struct {
	conns []*server.Conn
	pids  []string
	wait  sync.WaitGroup
	over  atomic.Bool
	on    atomic.Bool // latencies are noted

	mu        sync.Mutex
	latencies []float64
	failed    error
}

func newLoad(c *server.Cluster, level string, clients int) (*load, error) {
	l := &load{}
	for range clients {
		k, err := server.Dial(c.Port, c.Database(), map[string]string{"synchronous_commit": level})
		if err != nil {
			return nil, err
		}
		l.conns = append(l.conns, k)
		pid, err := k.Value("select pg_backend_pid()")
		if err != nil {
			return nil, err
		}
		l.pids = append(l.pids, pid)
	}
	return l, nil
}

func (l *load) start() {
	for i, k := range l.conns {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		l.wait.Go(func() {
			for !l.over.Load() {
				sql := fmt.Sprintf("update accounts set balance = balance + %d where id = %d", random.IntN(100)-50, 1+random.IntN(20_000))
				began := time.Now()
				_, err := k.Query(sql)
				took := time.Since(began).Seconds()
				if err != nil || l.on.Load() {
					l.mu.Lock()
					if err != nil {
						l.failed = err
					} else {
						l.latencies = append(l.latencies, took)
					}
					l.mu.Unlock()
				}
				if err != nil {
					return
				}
			}
		})
	}
}

// count begins to note latencies, counted ends it.
func (l *load) count() { l.on.Store(true) }

func (l *load) counted() []float64 {
	l.on.Store(false)
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.latencies)
	slices.Sort(list)
	return list
}

func (l *load) stop() error {
	l.over.Store(true)
	l.wait.Wait()
	return l.failed
}

func (l *load) close() {
	for _, k := range l.conns {
		k.Close()
	}
}

// ownCPU is what this process has taken, seconds.
func ownCPU() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
