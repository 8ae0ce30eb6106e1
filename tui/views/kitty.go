package views

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"strings"
)

// longestChunk is the maximum number of characters of a picture's data in one sequence.
const longestChunk = 4096

// kittyMarks contains the combining marks for the rows and columns of a placeholder (Kitty's
// graphics protocol, Unicode placeholders).
var kittyMarks = [LargeColumns]rune{
	0x0305, 0x030D, 0x030E, 0x0310, 0x0312, 0x033D, 0x033E, 0x033F, 0x0346, 0x034A, 0x034B, 0x034C, 0x0350, 0x0351, 0x0352, 0x0357,
}

const kittyCell = '\U0010EEEE'

// useKitty replaces the half blocks of f.Large with placeholders for a picture in Kitty graphics.
// The screen can scroll and cut placeholders like text. If the picture cannot be encoded, f keeps
// its half blocks.
func (f *Frame) useKitty(square *image.NRGBA) {
	var file bytes.Buffer
	if err := png.Encode(&file, square); err != nil {
		return
	}
	hash := fnv.New32a()
	hash.Write(file.Bytes())
	id := hash.Sum32()&0xffffff | 1
	f.Send = sendKitty(id, base64.StdEncoding.EncodeToString(file.Bytes()))
	f.Forget = fmt.Sprintf("\x1b_Ga=d,d=I,i=%d,q=2\x1b\\", id)
	for row := range f.Large {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", id>>16, id>>8&0xff, id&0xff)
		for column := range LargeColumns {
			b.WriteRune(kittyCell)
			b.WriteRune(kittyMarks[row])
			b.WriteRune(kittyMarks[column])
		}
		f.Large[row] = b.String() + "\x1b[39m"
	}
}

func sendKitty(id uint32, file string) string {
	var b strings.Builder
	head := fmt.Sprintf("a=T,U=1,f=100,t=d,i=%d,c=%d,r=%d,", id, LargeColumns, LargeRows)
	for file != "" {
		piece := file[:min(len(file), longestChunk)]
		file = file[len(piece):]
		more := 0
		if file != "" {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sq=2,m=%d;%s\x1b\\", head, more, piece)
		head = ""
	}
	return b.String()
}
