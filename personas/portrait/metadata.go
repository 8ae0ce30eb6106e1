package portrait

import (
	"bytes"
	"errors"
)

// StripMetadata returns an image without data that is not needed to display it: EXIF (such as place
// and device), XMP, IPTC, comments, text chunks, thumbnails, and bytes after the end of the image.
// It preserves the colour profile, and the colour transform and the orientation of a JPEG. It
// returns an error if the format is unknown or the data is malformed. The result is at most 40 bytes
// larger than the image.
func StripMetadata(data []byte) ([]byte, error) {
	k := findKind(data)
	if k == nil {
		return nil, errKind
	}
	var stripped []byte
	var ok bool
	switch k.media {
	case "image/png":
		stripped, ok = stripPNG(data)
	case "image/jpeg":
		stripped, ok = stripJPEG(data)
	default:
		stripped, ok = stripGIF(data)
	}
	if !ok {
		return nil, errStructure
	}
	return stripped, nil
}

// StripURI returns the data URI of an image without its metadata.
func StripURI(uri string) (string, error) {
	data, err := ReadURI(uri)
	if err != nil {
		return "", err
	}
	stripped, err := StripMetadata(data)
	if err != nil {
		return "", err
	}
	if bytes.Equal(stripped, data) {
		return uri, nil
	}
	return encodeURI(stripped), nil
}

// SamePicture reports whether two images are equal except for their metadata.
func SamePicture(a, b []byte) bool {
	x, errX := StripMetadata(a)
	y, errY := StripMetadata(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var errStructure = errors.New("its structure is invalid, so metadata cannot be removed: save it again with a picture editor")
