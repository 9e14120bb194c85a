// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import "encoding/binary"

const (
	frameHeaderSize = 8 // bytes
	pingType        = 6 // type of a control frame
	pingSize        = 4 // bytes: the number only
)

// frameParser finds the boundaries of SPDY frames in a stream of bytes, and the pings among them.
type frameParser struct {
	header      [frameHeaderSize]byte
	headerBytes int // received bytes of the header
	remaining   int // bytes of the frame that are missing, once its header is complete
	ping        [pingSize]byte
	bodyBytes   int // received bytes of the frame after its header
}

// atBoundary reports whether the last frame is complete.
func (f *frameParser) atBoundary() bool { return f.headerBytes == 0 }

// parse consumes bytes and calls found with the number of each ping.
func (f *frameParser) parse(p []byte, found func(number uint32)) {
	for len(p) > 0 {
		if f.headerBytes < frameHeaderSize {
			n := copy(f.header[f.headerBytes:], p)
			f.headerBytes, p = f.headerBytes+n, p[n:]
			if f.headerBytes < frameHeaderSize {
				return
			}
			f.remaining, f.bodyBytes = int(binary.BigEndian.Uint32(f.header[4:])&0xffffff), 0
		}
		n := min(f.remaining, len(p))
		if f.isPing() && f.bodyBytes < pingSize {
			copy(f.ping[f.bodyBytes:], p[:n])
		}
		f.bodyBytes, f.remaining, p = f.bodyBytes+n, f.remaining-n, p[n:]
		if f.remaining > 0 {
			return
		}
		f.headerBytes = 0
		if f.isPing() && f.bodyBytes == pingSize && found != nil {
			found(binary.BigEndian.Uint32(f.ping[:]))
		}
	}
}

func (f *frameParser) isPing() bool {
	return f.header[0]&0x80 != 0 && binary.BigEndian.Uint16(f.header[2:]) == pingType
}

// pingFrame encodes a ping.
func pingFrame(number uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{0x80, 3, 0, pingType, 0, 0, 0, pingSize}, number)
}
