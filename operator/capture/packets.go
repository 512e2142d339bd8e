package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	// Frames are at most 64 KB. A larger limit would leave room for fewer frames in the ring.
	maxFrameBytes = 65_535
	// The ring has 8 MB, and each block has room for three frames of this size.
	blockBytes = 256 * 1024
	blockCount = 32
	// Maximum time until the kernel passes on a block that is not full.
	retireMs = 100
)

// Constants and structures of Linux that package syscall lacks, see packet(7) and its page packet_mmap.
const (
	packetVersion   = 10
	packetVersion3  = 2
	blockIsReadable = 1
)

type ringRequest struct {
	blockBytes, blockCount, frameBytes, frameCount, retireMs, privateBytes, features uint32
}

type blockHeader struct {
	version, privateOffset, status, frames, firstFrame uint32
}

type frameHeader struct {
	next, seconds, nanoseconds, capturedBytes, bytes, status uint32
	dataOffset                                               uint16
}

// packetSocket receives the frames of an interface in a ring of blocks, which it shares with the kernel.
type packetSocket struct {
	file       *os.File
	connection syscall.RawConn
	ring       []byte
	nextBlock  int
}

// openPacketSocket starts to receive the frames that pass the filter. It needs the capability NET_RAW.
func openPacketSocket(device *net.Interface, filter []syscall.SockFilter) (*packetSocket, error) {
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	request := ringRequest{blockBytes: blockBytes, blockCount: blockCount, frameBytes: blockBytes, frameCount: blockCount, retireMs: retireMs}
	requestBytes := unsafe.Slice((*byte)(unsafe.Pointer(&request)), unsafe.Sizeof(request))
	// The protocol is in network byte order.
	everything := syscall.SockaddrLinklayer{Ifindex: device.Index, Protocol: *(*uint16)(unsafe.Pointer(&[2]byte{0, syscall.ETH_P_ALL}))}
	socket := &packetSocket{file: os.NewFile(uintptr(fd), "packet socket")}
	if socket.connection, err = socket.file.SyscallConn(); err != nil {
		return nil, err
	}
	if err = syscall.SetsockoptInt(fd, syscall.SOL_PACKET, packetVersion, packetVersion3); err != nil {
		return nil, err
	}
	if err = syscall.SetsockoptString(fd, syscall.SOL_PACKET, syscall.PACKET_RX_RING, string(requestBytes)); err != nil {
		return nil, err
	}
	if socket.ring, err = syscall.Mmap(fd, 0, blockBytes*blockCount, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		return nil, err
	}
	if err = syscall.AttachLsf(fd, filter); err != nil {
		return nil, err
	}
	// Bind last, because the socket receives frames from then on.
	return socket, syscall.Bind(fd, &everything)
}

func (s *packetSocket) block() *blockHeader {
	return (*blockHeader)(unsafe.Pointer(&s.ring[s.nextBlock*blockBytes]))
}

// isReadable returns true if the kernel has passed on the next block.
func (s *packetSocket) isReadable() bool {
	return atomic.LoadUint32(&s.block().status)&blockIsReadable != 0
}

// wait returns when the next block is readable, or at the deadline. A deadline of zero is no deadline.
func (s *packetSocket) wait(deadline time.Time) error {
	if err := s.file.SetReadDeadline(deadline); err != nil {
		return err
	}
	var failure error
	err := s.connection.Read(func(fd uintptr) bool {
		if code, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR); err == nil && code != 0 {
			failure = syscall.Errno(code)
		}
		return failure != nil || s.isReadable()
	})
	if failure == nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		failure = err
	}
	return failure
}

// read passes the frames of the next block to `take`, and returns the block to the kernel.
func (s *packetSocket) read(take func(frame *frameHeader, data []byte) error) (err error) {
	block := s.block()
	at := s.nextBlock*blockBytes + int(block.firstFrame)
	for remaining := block.frames; remaining > 0 && err == nil; remaining-- {
		frame := (*frameHeader)(unsafe.Pointer(&s.ring[at]))
		start := at + int(frame.dataOffset)
		err = take(frame, s.ring[start:start+int(frame.capturedBytes)])
		at += int(frame.next)
	}
	atomic.StoreUint32(&block.status, 0)
	s.nextBlock = (s.nextBlock + 1) % blockCount
	return err
}

// statistics returns the number of frames that passed the filter since the last call, and how many of them the kernel dropped.
func (s *packetSocket) statistics() (received, dropped int) {
	var counts struct{ received, dropped, freezes uint32 }
	size := uint32(unsafe.Sizeof(counts))
	s.connection.Control(func(fd uintptr) {
		syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.SOL_PACKET, syscall.PACKET_STATISTICS,
			uintptr(unsafe.Pointer(&counts)), uintptr(unsafe.Pointer(&size)), 0)
	})
	return int(counts.received), int(counts.dropped)
}

// findInterface returns an interface and its IPv4 address, at which the collector reaches this program.
func findInterface(name string) (*net.Interface, net.IP, error) {
	device, err := net.InterfaceByName(name)
	if err != nil {
		return nil, nil, err
	}
	addresses, err := device.Addrs()
	if err != nil {
		return nil, nil, err
	}
	for _, address := range addresses {
		if network, isNetwork := address.(*net.IPNet); isNetwork && network.IP.To4() != nil {
			return device, network.IP.To4(), nil
		}
	}
	return nil, nil, fmt.Errorf("the interface %s has no IPv4 address", name)
}

// recordedTraffic returns a filter for TCP connections to these ports of the challenge, by default for all traffic. It excludes only
// requests to this program and their answers. The same port of other hosts, and the same port with another protocol, are traffic of the
// challenge.
func recordedTraffic(address net.IP, ownPort int, challengePorts []int) []syscall.SockFilter {
	const load, ifEqual = syscall.BPF_LD | syscall.BPF_ABS, syscall.BPF_JMP | syscall.BPF_JEQ
	stmt := func(code, value int) syscall.SockFilter { return *syscall.LsfStmt(code, value) }
	jump := func(code, value, ifTrue, ifFalse int) syscall.SockFilter {
		return *syscall.LsfJump(code, value, ifTrue, ifFalse)
	}
	result := func(bytes int) syscall.SockFilter { return stmt(syscall.BPF_RET, bytes) }

	ports, matching, others := []int{ownPort}, result(0), result(maxFrameBytes)
	if len(challengePorts) > 0 {
		ports, matching, others = nil, others, matching
		for _, port := range challengePorts {
			if port != ownPort {
				ports = append(ports, port)
			}
		}
	}
	filter := []syscall.SockFilter{
		stmt(load|syscall.BPF_H, 12), jump(ifEqual, syscall.ETH_P_IP, 1, 0), others,
		stmt(load|syscall.BPF_B, 23), jump(ifEqual, syscall.IPPROTO_TCP, 1, 0), others,
		// A later fragment of a packet contains no ports.
		stmt(load|syscall.BPF_H, 20), jump(syscall.BPF_JMP|syscall.BPF_JSET, 0x1fff, 0, 1), others,
		// X is the length of the IP header.
		stmt(syscall.BPF_LDX|syscall.BPF_MSH|syscall.BPF_B, 14),
	}
	const source, sourcePort, destination, destinationPort = 26, 14, 30, 16
	for _, end := range [][2]int{{destination, destinationPort}, {source, sourcePort}} {
		filter = append(filter,
			stmt(load|syscall.BPF_W, end[0]), jump(ifEqual, int(binary.BigEndian.Uint32(address)), 1, 0),
			stmt(syscall.BPF_JMP|syscall.BPF_JA, 1+2*len(ports)), stmt(syscall.BPF_LD|syscall.BPF_IND|syscall.BPF_H, end[1]))
		for _, port := range ports {
			filter = append(filter, jump(ifEqual, port, 0, 1), matching)
		}
	}
	return append(filter, others)
}
