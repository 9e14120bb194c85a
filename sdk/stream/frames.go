// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import "encoding/binary"

const (
	frameHead = 8 // bytes before what a SPDY frame carries
	pingType  = 6 // of a control frame
	pingSize  = 4 // the number is all that it carries
)

// frames finds the borders of SPDY frames in what passes, and the pings among them.
type frames struct {
	head [frameHead]byte
	know int // bytes of the head
	left int // bytes of the frame that are still to come, once its head is known
	ping [pingSize]byte
	body int // bytes of the frame that came after its head
}

// between says that the last frame is whole.
func (f *frames) between() bool { return f.know == 0 }

// pass goes over bytes and calls found with the number of each ping.
func (f *frames) pass(p []byte, found func(number uint32)) {
	for len(p) > 0 {
		if f.know < frameHead {
			n := copy(f.head[f.know:], p)
			f.know, p = f.know+n, p[n:]
			if f.know < frameHead {
				return
			}
			f.left, f.body = int(binary.BigEndian.Uint32(f.head[4:])&0xffffff), 0
		}
		n := min(f.left, len(p))
		if f.pings() && f.body < pingSize {
			copy(f.ping[f.body:], p[:n])
		}
		f.body, f.left, p = f.body+n, f.left-n, p[n:]
		if f.left > 0 {
			return
		}
		f.know = 0
		if f.pings() && f.body == pingSize && found != nil {
			found(binary.BigEndian.Uint32(f.ping[:]))
		}
	}
}

func (f *frames) pings() bool {
	return f.head[0]&0x80 != 0 && binary.BigEndian.Uint16(f.head[2:]) == pingType
}

// pingFrame is a ping on the wire.
func pingFrame(number uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{0x80, 3, 0, pingType, 0, 0, 0, pingSize}, number)
}
