// Command capture records the traffic of a pod, and serves finished segments over HTTP.
//
// The platform's collector fetches the segments, and this program opens no connections to it. It shares the pod's network with a
// challenge that may be hostile, so it answers no request from an address of the pod. The challenge cannot reach the files or the process
// either.
//
//	GET    /ready          204 once the recording has started; probe of the kubelet
//	GET    /challenge      204 once the recording has started and the challenge accepts connections; probe of the kubelet
//	GET    /segments       {"run", "segments": [{"name", "bytes"}], "finished", "packets", "droppedPackets", "lostSegments",
//	                        "lostBytes"}; each run, which begins with a restart of this program, has its own counters
//	GET    /segments/NAME  the segment, as pcap with Ethernet frames
//	DELETE /segments/NAME  removes the segment, which the collector has stored
//	POST   /finish         ends the recording, closes the last segment, and answers like GET /segments
//
// Environment: CAPTURE_PORT, CAPTURE_CHALLENGE_PORT, CAPTURE_PORTS (recorded ports, by default all traffic), CAPTURE_SEGMENT_MB,
// CAPTURE_SEGMENT_SECONDS, CAPTURE_STORED_MB, CAPTURE_END_SECONDS; for tests also CAPTURE_FOLDER, CAPTURE_INTERFACE, CAPTURE_NET and
// CAPTURE_ALLOW_LOCAL. At the end of a pod, the kubelet sends SIGTERM to this program and to the challenge at the same time. This program
// then records until the challenge has ended, but at most for CAPTURE_END_SECONDS. It answers requests until every segment was fetched, or
// until it is killed.
package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	megabyte = 1024 * 1024
	// Delay of the restart after a failure. Without it, a permanent failure would restart the program continuously.
	restartDelay = time.Second
	// Interval between two checks at the end of a pod.
	endInterval = 200 * time.Millisecond

	// Limits of a request. The collector reads an answer for at most two minutes.
	requestTime    = 30 * time.Second
	answerTime     = 2 * time.Minute
	maxHeaderBytes = 8192
)

// States ESTABLISHED, SYN_SENT, SYN_RECV, CLOSE_WAIT and LISTEN in /proc/net/tcp. Sockets in other states outlive their program.
const sendingStates = "01 02 03 08 0A"

// hasOtherSockets returns true if another program of this pod can still send or receive: it listens, is connected, or has a UDP socket.
func hasOtherSockets(port int, folder string) bool {
	own := fmt.Sprintf(":%04X", port)
	for _, name := range []string{"tcp", "tcp6", "udp", "udp6"} {
		table, _ := os.ReadFile(filepath.Join(folder, name))
		rows := bufio.NewScanner(strings.NewReader(string(table)))
		for rows.Scan() {
			fields := strings.Fields(rows.Text())
			isSocket, isUDP := len(fields) > 3 && fields[0] != "sl", strings.HasPrefix(name, "udp")
			if isSocket && (isUDP || !strings.HasSuffix(fields[1], own) && strings.Contains(sendingStates, fields[3])) {
				return true
			}
		}
	}
	return false
}

func text(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func number(name string, fallback int) int {
	value, err := strconv.Atoi(text(name, strconv.Itoa(fallback)))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return value
}

// numbers returns the numbers of a list that is separated by commas.
func numbers(name string) (list []int) {
	for _, field := range strings.FieldsFunc(os.Getenv(name), func(character rune) bool { return character == ',' }) {
		value, err := strconv.Atoi(field)
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		list = append(list, value)
	}
	return list
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	port := number("CAPTURE_PORT", 19100)
	// Open the port first, so that the challenge cannot open it. Requests wait until the recording starts.
	listener, err := net.Listen("tcp4", fmt.Sprintf(":%d", port))
	must(err)
	if os.Getenv("CAPTURE_ALLOW_LOCAL") != "yes" {
		listener = foreignListener{listener}
	}
	device, address, err := findInterface(text("CAPTURE_INTERFACE", "eth0"))
	must(err)
	recorder := &recorder{
		folder:       text("CAPTURE_FOLDER", "/data"),
		segmentBytes: int64(number("CAPTURE_SEGMENT_MB", 8)) * megabyte,
		storedBytes:  int64(number("CAPTURE_STORED_MB", 128)) * megabyte,
		segmentTime:  time.Duration(number("CAPTURE_SEGMENT_SECONDS", 30)) * time.Second,
		report:       report{Run: strconv.FormatInt(time.Now().UnixMilli(), 10)},
	}
	must(os.MkdirAll(recorder.folder, 0o700))
	recorder.socket, err = openPacketSocket(device, recordedTraffic(address, port, numbers("CAPTURE_PORTS")))
	must(err)
	failed := make(chan error, 1)
	go func() {
		if err := recorder.record(); err != nil {
			failed <- err
		}
	}()
	handler := handler{recorder: recorder}
	if challengePort := number("CAPTURE_CHALLENGE_PORT", 0); challengePort != 0 {
		handler.challenge = &challenge{address: fmt.Sprintf("%s:%d", address, challengePort)}
	}
	server := http.Server{Handler: handler, ReadTimeout: requestTime, WriteTimeout: answerTime, MaxHeaderBytes: maxHeaderBytes}
	// The collector uses a connection for one request.
	server.SetKeepAlivesEnabled(false)
	go func() { log.Fatal(server.Serve(listener)) }()

	select {
	case err := <-failed:
		log.Printf("The recording failed and starts again: %v", err)
		select {
		case <-time.After(restartDelay):
			// Restart only this program. Its new run id shows that the recording has a gap. A restart of the container would lose the
			// segments in its file system.
			must(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
		case <-stop:
		}
	case <-stop:
	}
	end := time.Now().Add(time.Duration(number("CAPTURE_END_SECONDS", 15)) * time.Second)
	for time.Now().Before(end) && !recorder.current().Finished && hasOtherSockets(port, text("CAPTURE_NET", "/proc/net")) {
		time.Sleep(endInterval)
	}
	recorder.finish()
	for len(recorder.current().Segments) > 0 {
		time.Sleep(endInterval)
	}
}
