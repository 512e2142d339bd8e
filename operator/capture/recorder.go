package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	pcapMagic         = 0xa1b2c3d4
	pcapVersion       = 4<<16 | 2
	pcapHeaderBytes   = 24
	recordHeaderBytes = 16
	// Small frames are written together. Large frames are written from the ring without a copy.
	bufferBytes = 16 * 1024
	ethernet    = 1
	// Maximum time that the end of a recording waits until all received frames are written.
	finishTime = 4 * time.Second
)

type segment struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

type report struct {
	Run            string    `json:"run"`
	Segments       []segment `json:"segments"`
	Finished       bool      `json:"finished"`
	Packets        int       `json:"packets"`
	DroppedPackets int       `json:"droppedPackets"`
	LostSegments   int       `json:"lostSegments"`
	LostBytes      int64     `json:"lostBytes"`
}

// recorder writes frames to segments, which are pcap files. A segment is finished when its file is closed.
type recorder struct {
	folder                    string
	segmentBytes, storedBytes int64
	segmentTime               time.Duration
	socket                    *packetSocket

	mutex sync.Mutex
	// Run and counters. The run is the start time of this program. File names contain it, so that a restarted recorder does not
	// overwrite older segments.
	report report
	// Number of frames that the kernel received, including the dropped frames.
	received int
	// Set by a request to end the recording, and by its end or failure.
	ending, ended bool
	// The open segment. Its file is nil until a frame arrives.
	open    segment
	file    *os.File
	writer  *bufio.Writer
	closeAt time.Time
	opened  int
}

// record writes frames to segments until the recording ends or fails.
func (r *recorder) record() error {
	deadline := time.Time{}
	for {
		err := r.socket.wait(deadline)
		r.mutex.Lock()
		hasEnded := r.ended
		if err == nil && !hasEnded {
			err = r.writeFrames()
		}
		r.ended = hasEnded || err != nil
		deadline = r.closeAt
		r.mutex.Unlock()
		if hasEnded {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// writeFrames writes all frames in the ring, and closes the open segment at its maximum age.
func (r *recorder) writeFrames() error {
	for r.socket.isReadable() {
		if err := r.socket.read(r.writeFrame); err != nil {
			return err
		}
	}
	if r.file == nil {
		return nil
	}
	if time.Now().Before(r.closeAt) {
		return r.writer.Flush()
	}
	return r.closeSegment()
}

func (r *recorder) writeFrame(frame *frameHeader, data []byte) error {
	bytes := int64(recordHeaderBytes + len(data))
	if r.file != nil && r.open.Bytes+bytes > r.segmentBytes {
		if err := r.closeSegment(); err != nil {
			return err
		}
	}
	if r.file == nil {
		if err := r.openSegment(); err != nil {
			return err
		}
	}
	r.writeNumbers(frame.seconds, frame.nanoseconds/1000, frame.capturedBytes, frame.bytes)
	r.open.Bytes += bytes
	r.report.Packets++
	_, err := r.writer.Write(data)
	return err
}

// writeNumbers writes parts of a header. The writer returns an error again at the next call.
func (r *recorder) writeNumbers(numbers ...uint32) {
	for _, number := range numbers {
		r.writer.Write(binary.LittleEndian.AppendUint32(r.writer.AvailableBuffer(), number))
	}
}

func (r *recorder) openSegment() (err error) {
	now := time.Now()
	r.opened++
	r.open.Name = fmt.Sprintf("%s-%s.pcap%06d", now.UTC().Format("20060102T150405Z"), r.report.Run, r.opened)
	r.open.Bytes = pcapHeaderBytes
	if r.file, err = os.Create(filepath.Join(r.folder, r.open.Name)); err != nil {
		return err
	}
	r.writer = bufio.NewWriterSize(r.file, bufferBytes)
	r.writeNumbers(pcapMagic, pcapVersion, 0, 0, maxFrameBytes, ethernet)
	r.closeAt = now.Add(r.segmentTime)
	return nil
}

// closeSegment finishes the open segment. If the stored segments then exceed the limit because no collector fetches them, it removes the
// oldest and counts them as lost.
func (r *recorder) closeSegment() error {
	if err := r.writer.Flush(); err != nil {
		return err
	}
	if err := r.file.Close(); err != nil {
		return err
	}
	r.file, r.closeAt = nil, time.Time{}
	segments, stored := r.segments(), int64(0)
	for at := len(segments) - 1; at >= 0; at-- {
		stored += segments[at].Bytes
		if stored > r.storedBytes {
			os.Remove(filepath.Join(r.folder, segments[at].Name))
			r.report.LostSegments++
			r.report.LostBytes += segments[at].Bytes
		}
	}
	return nil
}

// segments returns the finished segments, oldest first.
func (r *recorder) segments() []segment {
	segments := []segment{}
	entries, _ := os.ReadDir(r.folder)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && (r.file == nil || entry.Name() != r.open.Name) {
			segments = append(segments, segment{entry.Name(), info.Size()})
		}
	}
	return segments
}

// count adds the frames that the kernel has counted since the last call.
func (r *recorder) count() {
	if !r.ended {
		received, dropped := r.socket.statistics()
		r.received += received
		r.report.DroppedPackets += dropped
	}
}

// current returns a report of the recording.
func (r *recorder) current() report {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.count()
	current := r.report
	current.Segments, current.Finished = r.segments(), r.ending && r.ended
	return current
}

// finish ends the recording. The last segment is finished when this returns.
func (r *recorder) finish() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.ending = true
	r.count()
	expected := r.received - r.report.DroppedPackets
	for deadline := time.Now().Add(finishTime); !r.ended && r.report.Packets < expected && time.Now().Before(deadline); {
		r.mutex.Unlock()
		time.Sleep(10 * time.Millisecond)
		r.mutex.Lock()
	}
	if r.ended {
		return
	}
	r.ended = true
	if missing := expected - r.report.Packets; missing > 0 {
		r.report.DroppedPackets += missing
	}
	if r.file != nil {
		if err := r.closeSegment(); err != nil {
			log.Print(err)
		}
	}
}
