package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

const (
	programVariable   = "CAPTURE_TEST_PROGRAM"
	namespaceVariable = "CAPTURE_TEST_NAMESPACE"
	recorderPort      = 19100
	challengePort     = 1337
	recorderURL       = "http://127.0.0.1:19100"
)

// TestMain runs the tests in a new network, in which only their traffic is recorded. The tests also start this file as the recorder.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(programVariable) != "":
		main()
	case os.Getenv(namespaceVariable) != "":
		setLoopback(true)
		os.Exit(m.Run())
	default:
		tests := exec.Command("/proc/self/exe", os.Args[1:]...)
		tests.Env = append(os.Environ(), namespaceVariable+"=yes")
		tests.Stdout, tests.Stderr = os.Stdout, os.Stderr
		tests.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		if user := os.Geteuid(); user != 0 {
			tests.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			tests.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: user, Size: 1}}
		}
		if err := tests.Run(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// configure changes the loopback interface, or one of its further addresses (netdevice(7)).
func configure(name string, operation uintptr, value [8]byte) {
	request := struct {
		name  [16]byte
		value [8]byte
		_     [16]byte
	}{value: value}
	copy(request.name[:], name)
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	must(err)
	defer syscall.Close(socket)
	if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), operation, uintptr(unsafe.Pointer(&request))); code != 0 {
		must(code)
	}
}

func setLoopback(isUp bool) {
	flags := [8]byte{}
	if isUp {
		*(*uint16)(unsafe.Pointer(&flags)) = syscall.IFF_UP
	}
	configure("lo", syscall.SIOCSIFFLAGS, flags)
}

// addAddress adds an IPv4 address to the loopback interface.
func addAddress(address net.IP) {
	value := [8]byte{}
	*(*uint16)(unsafe.Pointer(&value)) = syscall.AF_INET
	copy(value[4:], address.To4())
	configure("lo:1", syscall.SIOCSIFADDR, value)
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, actual, expected any) {
	t.Helper()
	if fmt.Sprint(actual) != fmt.Sprint(expected) {
		t.Fatalf("%s: %v instead of %v", what, actual, expected)
	}
}

func waitFor(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !isTrue(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within two minutes: %s", what)
		}
	}
}

// start starts a recorder with these variables. It ends with the test.
func start(t *testing.T, variables ...string) (program *exec.Cmd, folder string) {
	t.Helper()
	folder = t.TempDir()
	program = exec.Command("/proc/self/exe")
	program.Stderr = os.Stderr
	program.Env = append(os.Environ(), programVariable+"=yes", "CAPTURE_INTERFACE=lo", "CAPTURE_ALLOW_LOCAL=yes",
		"CAPTURE_FOLDER="+folder, fmt.Sprintf("CAPTURE_CHALLENGE_PORT=%d", challengePort))
	program.Env = append(program.Env, variables...)
	noError(t, program.Start())
	t.Cleanup(func() {
		program.Process.Kill()
		program.Wait()
	})
	waitFor(t, "the recorder is ready", func() bool {
		answer, err := http.Get(recorderURL + "/ready")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusNoContent
	})
	return program, folder
}

func request(t *testing.T, method, path string) (status int, body []byte) {
	t.Helper()
	request, err := http.NewRequest(method, recorderURL+path, nil)
	noError(t, err)
	answer, err := http.DefaultClient.Do(request)
	noError(t, err)
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	noError(t, err)
	return answer.StatusCode, body
}

func statusOf(t *testing.T, method, path string) int {
	t.Helper()
	status, _ := request(t, method, path)
	return status
}

func reportOf(t *testing.T, method, path string) (report report) {
	t.Helper()
	status, body := request(t, method, path)
	equal(t, "status of the report", status, 200)
	noError(t, json.Unmarshal(body, &report))
	return report
}

// framesOf returns the frames of finished segments. It fails if a segment is not a complete pcap file of Ethernet frames.
func framesOf(t *testing.T, report report) (frames [][]byte) {
	t.Helper()
	for _, segment := range report.Segments {
		status, file := request(t, "GET", "/segments/"+segment.Name)
		equal(t, "status of a segment", status, 200)
		equal(t, "size of a segment", len(file), segment.Bytes)
		equal(t, "magic number", binary.LittleEndian.Uint32(file), 0xa1b2c3d4)
		equal(t, "link type", binary.LittleEndian.Uint32(file[20:]), 1)
		for at := 24; at < len(file); {
			length := int(binary.LittleEndian.Uint32(file[at+8:]))
			frames = append(frames, file[at+16:at+16+length])
			at += 16 + length
		}
	}
	return frames
}

func countText(frames [][]byte, text string) int {
	return bytes.Count(bytes.Join(frames, nil), []byte(text))
}

// openChallenge starts a challenge that echoes what it receives.
func openChallenge(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp4", fmt.Sprintf(":%d", challengePort))
	noError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				io.Copy(connection, connection)
			}()
		}
	}()
	return listener
}

// send sends data to the challenge, and waits until the challenge has returned it.
func send(t *testing.T, data string) {
	t.Helper()
	connection, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", challengePort))
	noError(t, err)
	defer connection.Close()
	go io.WriteString(connection, data)
	_, err = io.ReadFull(connection, make([]byte, len(data)))
	noError(t, err)
}

func TestAnswersProbesAsSoonAsTheProbedContainerIsReady(t *testing.T) {
	start(t)
	statuses := make(chan int, 1)
	go func() {
		answer, err := http.Get(recorderURL + "/challenge")
		must(err)
		statuses <- answer.StatusCode
	}()
	equal(t, "/ready before the challenge listens", statusOf(t, "GET", "/ready"), 204)
	challenge := openChallenge(t)
	equal(t, "/challenge", <-statuses, 204)
	challenge.Close()
	equal(t, "/challenge after the challenge has closed its port", statusOf(t, "GET", "/challenge"), 503)
	equal(t, "/ready after the challenge has closed its port", statusOf(t, "GET", "/ready"), 204)
}

func TestRecordsFromTheFirstToTheLastConnection(t *testing.T) {
	start(t)
	openChallenge(t)
	send(t, "the first line")
	equal(t, "finished segments", len(reportOf(t, "GET", "/segments").Segments), 0)
	send(t, "the last line")
	report := reportOf(t, "POST", "/finish")
	equal(t, "finished", report.Finished, true)
	equal(t, "dropped packets", report.DroppedPackets, 0)
	frames := framesOf(t, report)
	equal(t, "packets", report.Packets, len(frames))
	// Each line is echoed, and the loopback interface shows each frame twice.
	equal(t, "first lines", countText(frames, "the first line"), 4)
	equal(t, "last lines", countText(frames, "the last line"), 4)
	equal(t, "recorded requests to the recorder", countText(frames, "HTTP"), 0)
	send(t, "a line after the end")
	equal(t, "report of a second end", reportOf(t, "POST", "/finish"), report)
}

func TestDeletesASegment(t *testing.T) {
	start(t)
	openChallenge(t)
	send(t, "a line")
	path := "/segments/" + reportOf(t, "POST", "/finish").Segments[0].Name
	answer, err := http.Get(recorderURL + path)
	noError(t, err)
	answer.Body.Close()
	equal(t, "type", answer.Header.Get("Content-Type"), "application/vnd.tcpdump.pcap")
	equal(t, "deletion", statusOf(t, "DELETE", path), 204)
	equal(t, "second deletion", statusOf(t, "DELETE", path), 404)
	equal(t, "download", statusOf(t, "GET", path), 404)
	equal(t, "segments", len(reportOf(t, "GET", "/segments").Segments), 0)
}

func TestServesNoFileOutsideItsFolder(t *testing.T) {
	_, folder := start(t)
	noError(t, os.WriteFile(filepath.Join(filepath.Dir(folder), "secret"), nil, 0o600))
	for head, expected := range map[string]string{
		"GET /segments/../secret HTTP/1.1\r\nHost: x":     "404",
		"GET /segments/%2e%2e/secret HTTP/1.1\r\nHost: x": "404",
		"PUT /segments HTTP/1.1\r\nHost: x":               "404",
		"nonsense":                                        "400",
		"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("a: "+strings.Repeat("b", 1000)+"\r\n", 20): "431",
	} {
		connection, err := net.Dial("tcp4", "127.0.0.1:19100")
		noError(t, err)
		fmt.Fprintf(connection, "%s\r\n\r\n", head)
		line := make([]byte, len("HTTP/1.1 404"))
		_, err = io.ReadFull(connection, line)
		noError(t, err)
		connection.Close()
		equal(t, "status line", string(line), "HTTP/1.1 "+expected)
	}
}

func TestClosesConnectionsFromItsPodWithoutAResponse(t *testing.T) {
	listener, err := net.Listen("tcp4", ":0")
	noError(t, err)
	defer listener.Close()
	go http.Serve(foreignListener{listener}, http.NotFoundHandler())
	const own = "198.51.100.7"
	addAddress(net.ParseIP(own))
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	for _, ends := range [][2]string{{own, own}, {own, "127.0.0.1"}, {"127.0.0.1", own}, {"127.0.0.2", "127.0.0.1"}} {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ends[0])}}
		connection, err := dialer.Dial("tcp4", net.JoinHostPort(ends[1], port))
		noError(t, err)
		fmt.Fprint(connection, "GET / HTTP/1.0\r\n\r\n")
		// The recorder may reset the connection, so an error is possible.
		answer, _ := io.ReadAll(connection)
		equal(t, fmt.Sprint(ends), string(answer), "")
		connection.Close()
	}
	equal(t, "address of another pod", isOwnAddress(net.ParseIP("203.0.113.9")), false)
}

func TestClosesSegmentsAtTheirMaximumSizeAndRemovesTheOldest(t *testing.T) {
	start(t, "CAPTURE_SEGMENT_MB=1", "CAPTURE_STORED_MB=3")
	openChallenge(t)
	send(t, strings.Repeat("x", 3*megabyte))
	report := reportOf(t, "POST", "/finish")
	stored := int64(0)
	for _, segment := range report.Segments {
		stored += segment.Bytes
		if segment.Bytes > megabyte {
			t.Fatalf("a segment has %d bytes", segment.Bytes)
		}
	}
	if len(report.Segments) != 3 || report.LostSegments == 0 || report.LostBytes == 0 {
		t.Fatalf("unexpected report: %+v", report)
	}
	if stored > 3*megabyte || report.Packets <= len(framesOf(t, report)) {
		t.Fatalf("unexpected report: %+v", report)
	}
}

// recordSegment starts a recorder and sends a line. It returns the report when the segment with this line is finished.
func recordSegment(t *testing.T, line string) report {
	start(t, "CAPTURE_SEGMENT_SECONDS=1")
	openChallenge(t)
	send(t, line)
	waitFor(t, "the segment is finished", func() bool { return len(reportOf(t, "GET", "/segments").Segments) > 0 })
	return reportOf(t, "GET", "/segments")
}

func TestClosesASegmentAtItsMaximumAge(t *testing.T) {
	report := recordSegment(t, "a line")
	equal(t, "finished", report.Finished, false)
	equal(t, "lines", countText(framesOf(t, report), "a line"), 4)
}

func TestRecordsOnlyPublishedPorts(t *testing.T) {
	start(t, "CAPTURE_PORTS=80,443")
	openChallenge(t)
	send(t, "a line to another port")
	equal(t, "packets", reportOf(t, "POST", "/finish").Packets, 0)
}

func TestRecordsAfterTheEndOfThePodUntilTheChallengeEnds(t *testing.T) {
	program, _ := start(t, "CAPTURE_END_SECONDS=600")
	challenge := openChallenge(t)
	noError(t, program.Process.Signal(syscall.SIGTERM))
	send(t, "a line at the end")
	equal(t, "finished", reportOf(t, "GET", "/segments").Finished, false)
	challenge.Close()
	waitFor(t, "the recording has ended", func() bool { return reportOf(t, "GET", "/segments").Finished })
	report := reportOf(t, "GET", "/segments")
	equal(t, "lines", countText(framesOf(t, report), "a line at the end"), 4)
	for _, segment := range report.Segments {
		equal(t, "deletion", statusOf(t, "DELETE", "/segments/"+segment.Name), 204)
	}
	noError(t, program.Wait())
}

func TestEndsARecordingIfTheChallengeDoesNotEnd(t *testing.T) {
	program, _ := start(t, "CAPTURE_END_SECONDS=1")
	openChallenge(t)
	noError(t, program.Process.Signal(syscall.SIGTERM))
	noError(t, program.Wait())
}

func TestStartsAnotherRunAfterAFailureAndServesOlderSegments(t *testing.T) {
	first := recordSegment(t, "before the failure")
	setLoopback(false)
	t.Cleanup(func() { setLoopback(true) })
	setLoopback(true)
	waitFor(t, "another run", func() bool {
		answer, err := http.Get(recorderURL + "/segments")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		var report report
		return json.NewDecoder(answer.Body).Decode(&report) == nil && report.Run != first.Run
	})
	send(t, "after the failure")
	frames := framesOf(t, reportOf(t, "POST", "/finish"))
	equal(t, "lines before", countText(frames, "before the failure"), 4)
	equal(t, "lines after", countText(frames, "after the failure"), 4)
}

func TestRecordedTraffic(t *testing.T) {
	const own, collector, player = "10.244.0.7", "10.244.0.3", "198.51.100.9"
	published := []int{80, 8080, recorderPort}
	for _, row := range []struct {
		what, from, to string
		isUDP          bool
		ports          []int
		isRecorded     bool
	}{
		{what: "request of the collector", from: collector + ":40000", to: own + ":19100"},
		{what: "answer to it", from: own + ":19100", to: collector + ":40000"},
		{what: "connection of a player", from: player + ":50000", to: own + ":1337", isRecorded: true},
		{what: "connection from that very port", from: player + ":19100", to: own + ":1337", isRecorded: true},
		{what: "answer to it", from: own + ":1337", to: player + ":19100", isRecorded: true},
		{what: "connection to that port of another host", from: own + ":50000", to: player + ":19100", isRecorded: true},
		{what: "answer from there", from: player + ":19100", to: own + ":50000", isRecorded: true},
		{what: "datagram to that port", from: player + ":50000", to: own + ":19100", isUDP: true, isRecorded: true},
		{what: "datagram from that port", from: own + ":19100", to: player + ":50000", isUDP: true, isRecorded: true},
		{what: "connection to a published port", from: player + ":50000", to: own + ":80", ports: published, isRecorded: true},
		{what: "answer to it", from: own + ":8080", to: player + ":50000", ports: published, isRecorded: true},
		{what: "connection to another port", from: player + ":50000", to: own + ":5432", ports: published},
		{what: "connection to a published port of another host", from: own + ":50000", to: player + ":80", ports: published},
		{what: "datagram to a published port", from: player + ":50000", to: own + ":80", isUDP: true, ports: published},
		{what: "request of the collector beside published ports", from: collector + ":50000", to: own + ":19100", ports: published},
	} {
		from, to := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(row.from)), net.TCPAddrFromAddrPort(netip.MustParseAddrPort(row.to))
		frame := make([]byte, 54)
		binary.BigEndian.PutUint16(frame[12:], syscall.ETH_P_IP)
		frame[14], frame[23] = 0x45, syscall.IPPROTO_TCP
		if row.isUDP {
			frame[23] = syscall.IPPROTO_UDP
		}
		copy(frame[26:], from.IP.To4())
		copy(frame[30:], to.IP.To4())
		binary.BigEndian.PutUint16(frame[34:], uint16(from.Port))
		binary.BigEndian.PutUint16(frame[36:], uint16(to.Port))
		filter := recordedTraffic(net.ParseIP(own).To4(), recorderPort, row.ports)
		equal(t, row.what, isAccepted(t, filter, frame), row.isRecorded)
	}
}

// isAccepted returns true if the kernel passes the frame through the filter.
func isAccepted(t *testing.T, filter []syscall.SockFilter, frame []byte) bool {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK, 0)
	noError(t, err)
	defer syscall.Close(pair[0])
	defer syscall.Close(pair[1])
	noError(t, syscall.AttachLsf(pair[1], filter))
	// The kernel reports a rejected datagram as sent or as not permitted.
	syscall.Write(pair[0], frame)
	length, _ := syscall.Read(pair[1], make([]byte, len(frame)+1))
	return length == len(frame)
}

func TestHasOtherSockets(t *testing.T) {
	const own = "0700F40A:4A9C"
	for _, row := range []struct {
		what, table, sockets string
		expected             bool
	}{
		{what: "no sockets"},
		{what: "only the recorder", table: "tcp", sockets: "00000000:4A9C 0A," + own + " 01"},
		{what: "a listening challenge", table: "tcp", sockets: "00000000:4A9C 0A,00000000:0539 0A", expected: true},
		{what: "a challenge that listens by IPv6", table: "tcp6", sockets: "00000000000000000000000000000000:0539 0A", expected: true},
		{what: "a connected player", table: "tcp", sockets: "0700F40A:0539 01", expected: true},
		{what: "a challenge that has not closed its connection", table: "tcp", sockets: "0700F40A:0539 08", expected: true},
		{what: "closed connections", table: "tcp", sockets: "0700F40A:0539 06,0700F40A:0540 04"},
		{what: "a UDP socket", table: "udp", sockets: "00000000:0035 07", expected: true},
	} {
		folder := t.TempDir()
		text := "  sl  local_address rem_address   st\n"
		for at, socket := range strings.FieldsFunc(row.sockets, func(character rune) bool { return character == ',' }) {
			fields := strings.Fields(socket)
			text += fmt.Sprintf("   %d: %s 00000000:0000 %s 00000000:00000000\n", at, fields[0], fields[1])
		}
		if row.table != "" {
			noError(t, os.WriteFile(filepath.Join(folder, row.table), []byte(text), 0o600))
		}
		equal(t, row.what, hasOtherSockets(recorderPort, folder), row.expected)
	}
}
