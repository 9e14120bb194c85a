// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The encodings of contents.
const (
	encodingText   = "utf-8"
	encodingBase64 = "base64"
)

// content is a part of a file or an output, exactly as it is.
type content struct {
	Content  string `json:"content" jsonschema:"the content"`
	Encoding string `json:"encoding" jsonschema:"utf-8, or base64 if the content is no text"`
	Offset   int64  `json:"offset,omitempty" jsonschema:"how many bytes are before it"`
	Bytes    int    `json:"bytes" jsonschema:"how many bytes it has"`
	Size     *int64 `json:"size,omitempty" jsonschema:"how many bytes the whole has, if that is known"`
	// More reports that the whole goes on after this part.
	More bool   `json:"more,omitempty" jsonschema:"whether there is more after it"`
	Note string `json:"note,omitempty" jsonschema:"what else to know"`
}

// contentOf returns the first limit bytes as a result, and whether there are more. A character that does not fit is
// left for the next part.
func contentOf(bytes []byte, limit int) content {
	more := len(bytes) > limit
	if more {
		bytes = bytes[:limit]
		if cut := unfinished(bytes); len(cut) < len(bytes) {
			bytes = bytes[:len(bytes)-len(cut)]
		}
	}
	result := content{Content: string(bytes), Encoding: encodingText, Bytes: len(bytes), More: more}
	if !utf8.Valid(bytes) || strings.Contains(result.Content, "\x00") {
		result.Content, result.Encoding = base64.StdEncoding.EncodeToString(bytes), encodingBase64
	}
	return result
}

// text implements texter.
func (c content) text() string {
	if c.Encoding == encodingText && !c.More && c.Offset == 0 && c.Note == "" {
		return c.Content
	}
	var about strings.Builder
	fmt.Fprintf(&about, "bytes %d to %d", c.Offset, c.Offset+int64(c.Bytes))
	if c.Size != nil {
		fmt.Fprintf(&about, " of %d", *c.Size)
	}
	if c.More {
		about.WriteString(", there is more")
	}
	if c.Encoding != encodingText {
		fmt.Fprintf(&about, ", in %s", c.Encoding)
	}
	if c.Note != "" {
		fmt.Fprintf(&about, "; %s", c.Note)
	}
	return about.String() + "\n" + c.Content
}
