package card

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode"
)

const (
	maxEntries = 2000     // files in a CHARX
	maxName    = 512      // bytes of a path in the archive
	maxPicture = 16 << 20 // bytes of a picture in the archive
	cardFile   = "card.json"
)

const (
	zipBegin   = "PK\x03\x04"
	zipEmpty   = "PK\x05\x06"
	zipListing = "PK\x01\x02" // start of each entry in the central directory
)

func readArchive(content []byte) (*Card, error) {
	if n := bytes.Count(content, []byte(zipListing)); n > maxEntries {
		return nil, fmt.Errorf("the archive has more than %d files, the maximum for a CHARX", maxEntries)
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be read: %w", err)
	}
	files, err := listFiles(archive)
	if err != nil {
		return nil, err
	}
	file := files[cardFile]
	if file == nil {
		return nil, fmt.Errorf("%w: the archive has no %s at its root", ErrNoCard, cardFile)
	}
	source, err := readFile(file, maxJSON)
	if err != nil {
		return nil, err
	}
	root, err := parseJSON(source)
	if err != nil {
		return nil, err
	}
	c, err := readCard(root, CHARX)
	if err != nil {
		return nil, err
	}
	c.takeAssets(files)
	for _, f := range archive.File {
		if f.Name != cardFile && f.Name != c.PictureSource && !strings.HasSuffix(f.Name, "/") {
			c.OtherFiles = append(c.OtherFiles, f.Name)
		}
	}
	return c, nil
}

// listFiles fails for a bad or duplicate path, because the archive is probably malicious.
func listFiles(archive *zip.Reader) (map[string]*zip.File, error) {
	files := make(map[string]*zip.File, len(archive.File))
	for _, f := range archive.File {
		if complaint := refuseName(f.Name); complaint != "" {
			return nil, fmt.Errorf("the archive is rejected: the path %.100q %s", f.Name, complaint)
		}
		if mode := f.Mode(); mode&fs.ModeType != 0 && !mode.IsDir() {
			return nil, fmt.Errorf("the archive is rejected: entry %.100q is not a regular file", f.Name)
		}
		if files[f.Name] != nil {
			return nil, fmt.Errorf("the archive is rejected: the path %.100q occurs twice", f.Name)
		}
		files[f.Name] = f
	}
	return files, nil
}

func refuseName(name string) string {
	switch {
	case len(name) > maxName:
		return fmt.Sprintf("has more than %d bytes", maxName)
	case strings.ContainsFunc(name, unicode.IsControl), strings.ContainsAny(name, `\:`),
		!fs.ValidPath(strings.TrimSuffix(name, "/")):
		return "is not a relative path with forward slashes"
	}
	return ""
}

func readFile(file *zip.File, limit int) ([]byte, error) {
	tooLarge := fmt.Errorf("%s in the archive is larger than the maximum of %d MiB", file.Name, limit>>20)
	switch {
	case file.Flags&1 != 0:
		return nil, fmt.Errorf("%s in the archive is encrypted", file.Name)
	case file.UncompressedSize64 > uint64(limit): //nolint:gosec // limit is a constant above 0
		return nil, tooLarge
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("%s in the archive cannot be read: %w", file.Name, err)
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s in the archive cannot be read: %w", file.Name, err)
	case len(data) > limit:
		return nil, tooLarge
	}
	return data, nil
}

// takeAssets sets the picture to the main icon. Other embedded assets are dropped, because a
// persona contains only a portrait.
func (c *Card) takeAssets(files map[string]*zip.File) {
	data := objectOf(c.document["data"])
	assets, ok := data["assets"].([]any)
	if !ok {
		return
	}
	icon := findIcon(assets)
	others := []any{}
	for i, item := range assets {
		asset := objectOf(item)
		uri, place := textOf(asset["uri"]), fmt.Sprintf("data.assets[%d]", i)
		if i == icon {
			picture, source, err := loadAsset(uri, files)
			if err != nil {
				c.addNote(place, "the icon is not used: %v", err)
			}
			if picture != nil {
				c.Picture, c.PictureSource = picture, source
				continue
			}
		}
		switch scheme := schemeOf(uri); {
		case scheme == "ccdefault" && asset["type"] == "icon":
		case isEmbedded(scheme) || strings.HasPrefix(uri, "__asset:"):
			c.LeftAssets = append(c.LeftAssets, strings.TrimSpace(textOf(asset["type"])+" "+textOf(asset["name"])))
		default:
			others = append(others, item)
		}
	}
	data["assets"] = others
	if len(others) == 0 {
		delete(data, "assets")
	}
}

func schemeOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	return strings.ToLower(scheme)
}

func isEmbedded(scheme string) bool {
	return scheme == "data" || scheme == "embeded" || scheme == "embedded"
}

func findIcon(assets []any) int {
	index := -1
	for i, item := range assets {
		asset := objectOf(item)
		scheme := schemeOf(textOf(asset["uri"]))
		if asset["type"] != "icon" || !isEmbedded(scheme) {
			continue
		}
		if asset["name"] == "main" {
			return i
		}
		if index < 0 {
			index = i
		}
	}
	return index
}

func loadAsset(uri string, files map[string]*zip.File) (data []byte, source string, err error) {
	if schemeOf(uri) == "data" {
		head, text, _ := strings.Cut(uri, ",")
		if !strings.HasSuffix(head, ";base64") || len(text) > maxPicture/3*4 {
			return nil, "", errors.New("it is not a base64 data URI, or it is too large")
		}
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		return data, "the main icon", err
	}
	_, name, _ := strings.Cut(uri, "://")
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	file := files[name]
	if file == nil {
		return nil, "", fmt.Errorf("the card does not contain the file %.100q", name)
	}
	data, err = readFile(file, maxPicture)
	return data, name, err
}
