package portrait

import "encoding/binary"

// maxProfile is the maximum size of a colour profile in bytes. Profiles of cameras and screens have
// a few thousand bytes.
const maxProfile = 4 << 20

// isProfile reports whether data has the structure of a colour profile (ICC.1, 7): a size, a
// signature, and a tag table within the data.
func isProfile(data []byte) bool {
	const head, entry = 132, 12
	if len(data) < head || int64(binary.BigEndian.Uint32(data)) != int64(len(data)) || string(data[36:40]) != "acsp" {
		return false
	}
	tags := int64(binary.BigEndian.Uint32(data[head-4:]))
	if tags < 1 || head+tags*entry > int64(len(data)) {
		return false
	}
	for i := range tags {
		tag := data[head+i*entry:]
		at, size := int64(binary.BigEndian.Uint32(tag[4:])), int64(binary.BigEndian.Uint32(tag[8:]))
		if at < head+tags*entry || at+size > int64(len(data)) {
			return false
		}
	}
	return true
}
