package card

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	chunkFrame   = 12                    // length, type and checksum
	maxEncoded   = (maxJSON + 2) / 3 * 4 // base64 of the largest JSON
)

const (
	keywordV2 = "chara"
	keywordV3 = "ccv3"
)

// readPNG prefers the V3 card. The V2 card in the same file is for older programs.
func readPNG(content []byte) (*Card, error) {
	text, err := findCardText(content)
	if err != nil {
		return nil, err
	}
	source, err := decodeCardText(text)
	if err != nil {
		return nil, err
	}
	root, err := parseJSON(source)
	if err != nil {
		return nil, err
	}
	c, err := readCard(root, PNG)
	if err != nil {
		return nil, err
	}
	c.takeAssets(nil)
	if c.Picture == nil {
		c.Picture, c.PictureSource = content, "the PNG itself"
	}
	return c, nil
}

func findCardText(content []byte) (string, error) {
	kinds, chunks := map[string]string{}, map[string][]byte{} // by keyword
	err := eachChunk(content, func(kind string, data []byte) {
		if kind != "tEXt" && kind != "zTXt" && kind != "iTXt" {
			return
		}
		word, _, _ := bytes.Cut(data[:min(len(data), 80)], []byte{0})
		keyword := strings.ToLower(string(word))
		if (keyword == keywordV2 || keyword == keywordV3) && chunks[keyword] == nil {
			kinds[keyword], chunks[keyword] = kind, data
		}
	})
	if err != nil {
		return "", err
	}
	for _, keyword := range []string{keywordV3, keywordV2} {
		if chunks[keyword] != nil {
			return readTextChunk(kinds[keyword], chunks[keyword])
		}
	}
	return "", fmt.Errorf("%w: the PNG has no text chunk named %s or %s", ErrNoCard, keywordV3, keywordV2)
}

func eachChunk(content []byte, visit func(kind string, data []byte)) error {
	for offset := len(pngSignature); ; {
		if len(content)-offset < chunkFrame {
			return errors.New("the PNG ends without its last chunk (IEND); is the file complete?")
		}
		length := int64(binary.BigEndian.Uint32(content[offset:]))
		kind := string(content[offset+4 : offset+8])
		if length > int64(len(content)-offset-chunkFrame) {
			remaining := len(content) - offset - chunkFrame
			return fmt.Errorf("the PNG's chunk %q at byte %d has a length of %d bytes, but only %d bytes follow",
				kind, offset, length, remaining)
		}
		end := offset + 8 + int(length)
		visit(kind, content[offset+8:end])
		if kind == "IEND" {
			return nil
		}
		offset = end + 4
	}
}

func readTextChunk(kind string, data []byte) (string, error) {
	_, rest, ok := bytes.Cut(data, []byte{0})
	cut := errors.New("the PNG's text chunk with the card is cut off")
	if !ok {
		return "", cut
	}
	switch kind {
	case "tEXt":
		return limitText(rest)
	case "zTXt":
		if len(rest) < 1 {
			return "", cut
		}
		return inflate(rest[0], rest[1:])
	}
	if len(rest) < 2 {
		return "", cut
	}
	flag, method := rest[0], rest[1]
	parts := bytes.SplitN(rest[2:], []byte{0}, 3)
	switch {
	case len(parts) < 3:
		return "", cut
	case flag == 0:
		return limitText(parts[2])
	}
	return inflate(method, parts[2])
}

func limitText(data []byte) (string, error) {
	if len(data) > maxEncoded {
		return "", fmt.Errorf("the PNG's text chunk is larger than %d MiB, the maximum for a card", maxEncoded>>20)
	}
	return string(data), nil
}

func inflate(method byte, data []byte) (string, error) {
	if method != 0 {
		return "", fmt.Errorf("the PNG's text chunk with the card has an unknown compression method: %d", method)
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("the PNG's text chunk with the card cannot be decompressed: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxEncoded+1))
	if err != nil {
		return "", fmt.Errorf("the PNG's text chunk with the card cannot be decompressed: %w", err)
	}
	return limitText(text)
}

// decodeCardText also accepts plain JSON, because early programs did not use base64.
func decodeCardText(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return []byte(text), nil
	}
	text = strings.TrimRight(strings.NewReplacer("\n", "", "\r", "").Replace(text), "=")
	source, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the PNG's text chunk with the card is not base64: %w", err)
	}
	return source, nil
}

func writeChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data))) //nolint:gosec // a card's JSON is bounded
	start := len(out)
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}

func addToPNG(picture []byte, texts ...[2]string) ([]byte, error) {
	end := bytes.LastIndex(picture, []byte("\x00\x00\x00\x00IEND"))
	if !bytes.HasPrefix(picture, []byte(pngSignature)) || end < 0 {
		return nil, errors.New("the picture is not a PNG")
	}
	out := bytes.Clone(picture[:end])
	for _, text := range texts {
		data := append([]byte(text[0]), 0)
		data = base64.StdEncoding.AppendEncode(data, []byte(text[1]))
		out = writeChunk(out, "tEXt", data)
	}
	return writeChunk(out, "IEND", nil), nil
}
