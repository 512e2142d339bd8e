"""Records the traffic of a pod with tcpdump, and serves finished segments over HTTP.

The platform's collector fetches the segments, and this program opens no connections to it. It shares the pod's network with a challenge
that may be hostile, so it answers no request from an address of the pod. The challenge cannot reach the files or the process either.

    GET    /ready            204 once the recording has started; probe of the kubelet
    GET    /challenge        204 once the recording has started and the challenge accepts connections; probe of the kubelet
    GET    /segments         {"run", "segments": [{"name", "bytes"}], "finished", "packets", "droppedPackets", "lostSegments",
                              "lostBytes"}; each run, which begins with a restart of this program, has its own counters
    GET    /segments/NAME    the segment, as pcap with Ethernet frames
    DELETE /segments/NAME    removes the segment, which the collector has stored
    POST   /finish           ends the recording, closes the last segment, and answers like GET /segments

Environment: CAPTURE_PORT, CAPTURE_CHALLENGE_PORT, CAPTURE_PORTS (recorded ports, by default all traffic), CAPTURE_SEGMENT_MB,
CAPTURE_SEGMENT_SECONDS, CAPTURE_STORED_MB, CAPTURE_END_SECONDS; for tests also CAPTURE_FOLDER, CAPTURE_INTERFACE and CAPTURE_NET. At the
end of a pod, the kubelet sends SIGTERM to this program and to the challenge at the same time. This program then records until the
challenge has ended, but at most for CAPTURE_END_SECONDS. It answers requests until every segment was fetched, or until it is killed.
"""

import errno
import fcntl
import json
import os
import re
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time

MB = 1024 * 1024
PCAP_HEADER_BYTES = 24
# Request that asks Linux for the address of an interface (netdevice(7)).
SIOCGIFADDR = 0x8915
# Maximum time that the end of a recording waits until tcpdump has written all packets in the kernel's buffer.
FINISH_SECONDS = 4
# Maximum time that a probe waits for the recording to start, and then for the challenge to accept a connection. The kubelet's
# timeout is longer.
READY_SECONDS = 4
# Interval between two attempts to connect to a starting challenge.
CONNECT_SECONDS = 0.02
# Maximum time of one attempt to connect to the challenge.
CONNECT_TIMEOUT_SECONDS = 2
# Library that lets tcpdump remain root in a container that must not change its groups, see keep-groups.c.
KEEP_GROUPS = "/usr/local/lib/keep-groups.so"
MAX_LINE_BYTES = 8192
MAX_HEADERS = 64
STATUS_TEXTS = {
    200: "OK",
    204: "No Content",
    400: "Bad Request",
    404: "Not Found",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}
NAME = re.compile(r"[0-9A-Za-z-]+\.pcap[0-9]*")
# States ESTABLISHED, SYN_SENT, SYN_RECV, CLOSE_WAIT and LISTEN in /proc/net/tcp. Sockets in other states outlive their program.
SENDING_STATES = {"01", "02", "03", "08", "0A"}
STATISTICS = re.compile(r"(\d+) packets? (captured|received by filter|dropped by kernel|dropped by interface)")


def address_of(interface):
    """Returns the IPv4 address of an interface, at which the collector reaches this program."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        answer = fcntl.ioctl(asking.fileno(), SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
    return socket.inet_ntoa(answer[20:24])


def is_own_address(address):
    """True if this pod has the address, because a socket can be bound only to an own address. A comparison with the address at which a
    connection arrived is not enough: a program can connect from the address of one interface to the address of another interface."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError as error:
        return error.errno != errno.EADDRNOTAVAIL
    return True


def connections_to(address, ports):
    """Returns the tcpdump filter for TCP connections to these ports of an address."""
    directions = [f"({end} host {address} and {end} port {port})" for port in ports for end in ("dst", "src")]
    return f"(tcp and ({' or '.join(directions)}))"


def recorded_traffic(address, port, challenge_ports=()):
    """Returns the tcpdump filter for connections to these ports of the challenge, by default for all traffic. It excludes only requests to
    this program and their answers. The same port of other hosts, and the same port with another protocol, are traffic of the challenge."""
    without_own = f"not {connections_to(address, [port])}"
    return f"{connections_to(address, challenge_ports)} and {without_own}" if challenge_ports else without_own


def has_other_sockets(port, folder="/proc/net"):
    """True if another program of this pod can still send or receive: it listens, is connected, or has a UDP socket."""
    for name, is_tcp in (("tcp", True), ("tcp6", True), ("udp", False), ("udp6", False)):
        try:
            with open(os.path.join(folder, name)) as table:
                for line in table.readlines()[1:]:
                    fields = line.split()
                    local_port, state = int(fields[1].rpartition(":")[2], 16), fields[3]
                    if is_tcp and local_port == port:
                        continue
                    if not is_tcp or state in SENDING_STATES:
                        return True
        except FileNotFoundError:
            continue
    return False


class Challenge:
    """Port of the challenge at the pod's own address."""

    def __init__(self, address, port):
        self.address = address
        self.port = port
        self.was_open = False

    def accepts(self):
        """True if the port accepts connections. If the port has never accepted one, waits up to READY_SECONDS until it does, because
        the kubelet repeats a failed probe only after a second. The connections of this check do not leave the pod, so they are not
        part of the recording."""
        deadline = time.monotonic() + (0 if self.was_open else READY_SECONDS)
        while True:
            try:
                socket.create_connection((self.address, self.port), timeout=CONNECT_TIMEOUT_SECONDS).close()
                self.was_open = True
                return True
            except OSError:
                if time.monotonic() >= deadline:
                    return False
            time.sleep(CONNECT_SECONDS)


class Recorder:
    """Runs tcpdump and manages its segments. A segment is finished when tcpdump has closed its file."""

    def __init__(self, folder, interface, port, segment_mb, segment_seconds, stored_mb, challenge_ports):
        self.folder = folder
        self.stored_bytes = stored_mb * MB
        self.statistics = {}
        # Number of times that tcpdump has printed its statistics.
        self.statistics_count = 0
        # True if tcpdump had written all packets of the kernel's buffer when the recording ended.
        self.caught_up = False
        self.lost_segments = 0
        self.lost_bytes = 0
        self.lock = threading.Lock()
        self.ending = False
        self.listening = threading.Event()
        os.makedirs(folder, exist_ok=True)
        command = ["tcpdump", "-i", interface, "-n", "-s", "65535", "-B", "8192", "-Z", "root"]
        # -s: frames are at most 64 KB. A larger limit would leave room for fewer frames in the buffer (-B, in KiB).
        # -C: tcpdump counts in millions of bytes.
        command += ["-C", str(max(1, round(segment_mb * MB / 1_000_000))), "-G", str(segment_seconds)]
        # The name contains the start time of this process, so that a restarted recorder does not overwrite older segments.
        self.run = str(time.time_ns() // 1_000_000)
        command += ["-w", os.path.join(folder, f"%Y%m%dT%H%M%SZ-{self.run}.pcap")]
        command += [recorded_traffic(address_of(interface), port, challenge_ports)]
        environment = {**os.environ, "TZ": "UTC", **({"LD_PRELOAD": KEEP_GROUPS} if os.path.exists(KEEP_GROUPS) else {})}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.reader = threading.Thread(target=self._read_statistics, daemon=True)
        self.reader.start()

    def _read_statistics(self):
        for line in self.process.stderr:
            if "listening on" in line:
                self.listening.set()
            for count, what in STATISTICS.findall(line):
                self.statistics[what] = int(count)
                self.statistics_count += what == "dropped by kernel"
            if "packet" not in line:
                print(line.rstrip(), file=sys.stderr)

    def _open_files(self):
        folder = f"/proc/{self.process.pid}/fd"
        names = set()
        try:
            for descriptor in os.listdir(folder):
                try:
                    names.add(os.path.basename(os.readlink(os.path.join(folder, descriptor))))
                except FileNotFoundError:
                    continue
        except (FileNotFoundError, ProcessLookupError):
            pass
        return names

    def segments(self):
        """Returns the finished segments, oldest first. Removes finished segments that have no packets."""
        with self.lock:
            # List the names before the open files. If tcpdump opens a file between the two steps, the file is not among the names.
            # tcpdump never reopens a closed file.
            names = [name for name in os.listdir(self.folder) if NAME.fullmatch(name)]
            open_files = self._open_files()
            found = []
            for name in names:
                if name in open_files:
                    continue
                path = os.path.join(self.folder, name)
                try:
                    status = os.stat(path)
                except FileNotFoundError:
                    continue
                if status.st_size <= PCAP_HEADER_BYTES:
                    self.remove(name)
                    continue
                found.append((status.st_mtime, name, status.st_size))
            return [{"name": name, "bytes": size} for _, name, size in sorted(found)]

    def keep_within_limit(self):
        """If the stored segments exceed the limit because no collector fetches them, removes the oldest and counts them as lost."""
        finished = self.segments()
        total = sum(segment["bytes"] for segment in finished)
        for segment in finished:
            if total <= self.stored_bytes:
                return
            self.remove(segment["name"])
            total -= segment["bytes"]
            self.lost_segments += 1
            self.lost_bytes += segment["bytes"]

    def remove(self, name):
        try:
            os.unlink(os.path.join(self.folder, name))
        except FileNotFoundError:
            pass

    def is_recording(self):
        return self.process.poll() is None

    def refresh_statistics(self):
        if self.is_recording():
            self.process.send_signal(signal.SIGUSR1)

    def finish(self):
        """Ends the recording. The last segment is complete when this returns."""
        self.ending = True
        # tcpdump reads the kernel's buffer about once a second, but not when a signal ends tcpdump. Therefore wait until tcpdump
        # has written all packets from the buffer.
        deadline = time.monotonic() + FINISH_SECONDS
        while self.is_recording() and time.monotonic() < deadline and not self.caught_up:
            count_before = self.statistics_count
            self.refresh_statistics()
            while self.statistics_count == count_before and self.is_recording() and time.monotonic() < deadline:
                time.sleep(0.01)
            count = self.statistics.get
            self.caught_up = self.statistics_count > count_before and count("received by filter", 0) <= count("captured", 0)
            if not self.caught_up:
                time.sleep(0.05)
        if self.is_recording():
            self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.reader.join(timeout=2)

    def dropped_packets(self):
        count = self.statistics.get
        dropped = count("dropped by kernel", 0)
        if not self.is_recording() and not self.caught_up:
            # The recording ended before tcpdump had written all packets that the kernel received, so the unwritten packets are
            # lost. During a recording, unwritten packets are only delayed. After tcpdump has caught up, later packets are not part
            # of the recording.
            dropped = max(dropped, count("received by filter", 0) - count("captured", 0))
        return dropped + count("dropped by interface", 0)

    def report(self):
        return {
            "run": self.run,
            "segments": self.segments(),
            "finished": self.ending and not self.is_recording(),
            "packets": self.statistics.get("captured", 0),
            "droppedPackets": self.dropped_packets(),
            "lostSegments": self.lost_segments,
            "lostBytes": self.lost_bytes,
        }


class Server(socketserver.ThreadingTCPServer):
    """Answers one HTTP request per connection. The module http.server would double the processor time that a recorder needs to start."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port, allow_local=False):
        """Opens the port at once, so that the challenge cannot open it. Until `serve` is called, all requests except probes are refused."""
        self.recorder = None
        self.challenge = None
        self.recording = threading.Event()
        self.allow_local = allow_local
        # Bind without address reuse first, so that the challenge cannot share the port. Allow reuse only if old connections still
        # occupy the port after a restart.
        self.allow_reuse_address = False
        super().__init__(("0.0.0.0", port), Handler, bind_and_activate=False)
        try:
            self.server_bind()
        except OSError:
            self.allow_reuse_address = True
            self.server_bind()
        self.server_activate()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def serve(self, recorder, challenge=None):
        self.recorder = recorder
        self.challenge = challenge
        self.recording.set()

    def verify_request(self, request, client_address):
        """Refuses requests from an address of this pod, because they come from the challenge."""
        return self.allow_local or not is_own_address(client_address[0])

    def handle_error(self, request, client_address):
        """Logs the error of a request, unless the client closed the connection or was too slow."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            print(f"A request failed: {error!r}", file=sys.stderr)


class Handler(socketserver.StreamRequestHandler):
    timeout = 30

    def handle(self):
        line = self.rfile.readline(MAX_LINE_BYTES).decode("latin-1").split()
        for _ in range(MAX_HEADERS):
            if self.rfile.readline(MAX_LINE_BYTES) in (b"\r\n", b"\n", b""):
                break
        else:
            return self.answer(431)
        if len(line) != 3:
            return self.answer(400)
        method, path, _ = line
        if method == "GET" and path in ("/ready", "/challenge"):
            return self.answer(204 if self.is_ready(path) else 503)
        if self.server.recorder is None:
            return self.answer(503)
        if (method, path) == ("POST", "/finish"):
            self.server.recorder.finish()
            return self.report()
        if (method, path) == ("GET", "/segments"):
            return self.report()
        name = self.segment(path)
        if name is None or method not in ("GET", "DELETE"):
            return self.answer(404)
        if method == "GET":
            return self.send_segment(name)
        self.server.recorder.remove(name)
        return self.answer(204)

    def is_ready(self, path):
        # Wait until the recording starts, because the kubelet repeats a failed probe only after a second.
        is_recording = self.server.recording.wait(READY_SECONDS)
        if path == "/ready" or not is_recording:
            return is_recording
        return self.server.challenge is not None and self.server.challenge.accepts()

    def segment(self, path):
        """Returns the name of the finished segment in the path, or None."""
        name = path.removeprefix("/segments/")
        names = (segment["name"] for segment in self.server.recorder.segments())
        return name if name in names else None

    def send_segment(self, name):
        try:
            with open(os.path.join(self.server.recorder.folder, name), "rb") as segment:
                self.send_head(200, os.fstat(segment.fileno()).st_size, "application/vnd.tcpdump.pcap")
                self.connection.sendfile(segment)
        except FileNotFoundError:
            self.answer(404)

    def report(self):
        body = json.dumps(self.server.recorder.report()).encode()
        self.send_head(200, len(body), "application/json")
        self.wfile.write(body)

    def answer(self, status):
        """Sends an answer without a body."""
        self.send_head(status, 0)

    def send_head(self, status, length, content_type=None):
        lines = [f"HTTP/1.1 {status} {STATUS_TEXTS[status]}", "Connection: close"]
        # A response with status 204 has no body and no length.
        lines += [] if status == 204 else [f"Content-Length: {length}"]
        lines += [] if content_type is None else [f"Content-Type: {content_type}"]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode())


def main():
    port = int(os.environ.get("CAPTURE_PORT", "19100"))
    server = Server(port, allow_local=os.environ.get("CAPTURE_ALLOW_LOCAL") == "yes")
    interface = os.environ.get("CAPTURE_INTERFACE", "eth0")
    challenge_port = os.environ.get("CAPTURE_CHALLENGE_PORT")
    recorder = Recorder(
        folder=os.environ.get("CAPTURE_FOLDER", "/data"),
        interface=interface,
        port=port,
        segment_mb=int(os.environ.get("CAPTURE_SEGMENT_MB", "8")),
        segment_seconds=int(os.environ.get("CAPTURE_SEGMENT_SECONDS", "30")),
        stored_mb=int(os.environ.get("CAPTURE_STORED_MB", "128")),
        challenge_ports=[int(text) for text in os.environ.get("CAPTURE_PORTS", "").split(",") if text],
    )
    # The pod is ready once /ready answers.
    if not recorder.listening.wait(timeout=30):
        sys.exit("tcpdump does not listen")
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    signal.signal(signal.SIGINT, lambda *_: stopping.set())
    server.serve(recorder, None if challenge_port is None else Challenge(address_of(interface), int(challenge_port)))

    while not stopping.wait(timeout=2):
        recorder.keep_within_limit()
        recorder.refresh_statistics()
        if not recorder.is_recording() and not recorder.ending:
            # Restart only this program. Its new run id shows that the recording has a gap. A restart of the container would lose
            # the segments in its file system.
            print("tcpdump ended by itself, the recorder starts again", file=sys.stderr, flush=True)
            os.execv(sys.executable, sys.orig_argv)
    deadline = time.monotonic() + int(os.environ.get("CAPTURE_END_SECONDS", "15"))
    while recorder.is_recording() and time.monotonic() < deadline and has_other_sockets(port, os.environ.get("CAPTURE_NET", "/proc/net")):
        time.sleep(0.2)
    recorder.finish()
    while recorder.segments():
        time.sleep(0.2)


if __name__ == "__main__":
    main()
