package main

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// Maximum time that a probe waits for the challenge to accept a connection. The kubelet's timeout is longer.
	readyTime = 4 * time.Second
	// Interval between the first two attempts to connect to a starting challenge.
	connectInterval = 20 * time.Millisecond
	// Maximum time of one attempt.
	connectTimeout = 2 * time.Second
)

// isOwnAddress returns true if this pod has the address, because a socket can be bound only to an own address. A comparison with the
// address at which a connection arrived is not enough: a program can connect from one of its addresses to another.
func isOwnAddress(address net.IP) bool {
	probe, err := net.ListenUDP("udp4", &net.UDPAddr{IP: address})
	if err == nil {
		probe.Close()
	}
	return !errors.Is(err, syscall.EADDRNOTAVAIL)
}

// foreignListener closes connections from an address of this pod without a response, because they come from the challenge.
type foreignListener struct{ net.Listener }

func (l foreignListener) Accept() (net.Conn, error) {
	for {
		connection, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !isOwnAddress(connection.RemoteAddr().(*net.TCPAddr).IP) {
			return connection, nil
		}
		connection.Close()
	}
}

// challenge is the port of the challenge at the pod's own address.
type challenge struct {
	address string
	wasOpen atomic.Bool
}

// accepts returns true if the port accepts connections. If the port has never accepted one, it waits up to readyTime, because the kubelet
// repeats a failed probe only after a second. The connections do not leave the pod, so they are not part of the recording.
func (c *challenge) accepts() bool {
	// Attempts become rarer, because on a busy node many recorders wait a long time.
	for start := time.Now(); ; time.Sleep(connectInterval + time.Since(start)/20) {
		if connection, err := net.DialTimeout("tcp4", c.address, connectTimeout); err == nil {
			connection.Close()
			c.wasOpen.Store(true)
			return true
		}
		if c.wasOpen.Load() || time.Since(start) > readyTime {
			return false
		}
	}
}

type handler struct {
	recorder  *recorder
	challenge *challenge
}

func (h handler) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	switch request.Method + " " + request.URL.Path {
	case "GET /ready":
		answer.WriteHeader(http.StatusNoContent)
	case "GET /challenge":
		status := http.StatusServiceUnavailable
		if h.challenge != nil && h.challenge.accepts() {
			status = http.StatusNoContent
		}
		answer.WriteHeader(status)
	case "POST /finish":
		h.recorder.finish()
		fallthrough
	case "GET /segments":
		answer.Header().Set("Content-Type", "application/json")
		json.NewEncoder(answer).Encode(h.recorder.current())
	default:
		h.serveSegment(answer, request)
	}
}

func (h handler) serveSegment(answer http.ResponseWriter, request *http.Request) {
	for _, segment := range h.recorder.current().Segments {
		file := filepath.Join(h.recorder.folder, segment.Name)
		switch request.Method + " " + request.URL.Path {
		case "GET /segments/" + segment.Name:
			answer.Header().Set("Content-Type", "application/vnd.tcpdump.pcap")
			http.ServeFile(answer, request, file)
			return
		case "DELETE /segments/" + segment.Name:
			os.Remove(file)
			answer.WriteHeader(http.StatusNoContent)
			return
		}
	}
	answer.WriteHeader(http.StatusNotFound)
}
