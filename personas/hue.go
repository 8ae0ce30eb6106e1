package personas

import "hash/fnv"

// HueOf is a character's colour in degrees: the one that the persona names, else one that
// follows from its id, so that it is the same in every client. A hue beyond the circle
// is taken around it.
func HueOf(named *int, id string) int {
	if named != nil {
		return ((*named % (MaxHue + 1)) + MaxHue + 1) % (MaxHue + 1)
	}
	hash := fnv.New32a()
	hash.Write([]byte(id))
	return int(hash.Sum32() % (MaxHue + 1))
}
