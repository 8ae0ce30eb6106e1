package personafiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/portrait"
)

// A pictureReader reads at most one byte more than portrait.MaxBytes. name is relative to the
// persona file, with forward slashes.
type pictureReader func(name string) ([]byte, error)

func loadPortrait(doc *personas.Persona, read pictureReader) error {
	name := doc.Portrait
	if name == "" {
		return nil
	}
	if portrait.IsURI(name) {
		if stripped, err := portrait.StripURI(name); err == nil { // Lint reports an invalid picture.
			doc.Portrait = stripped
		}
		return nil
	}
	if err := checkPortraitPath(name); err != nil {
		return err
	}
	data, err := read(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if doc.Portrait, err = portrait.EncodeURI(data); err != nil {
		doc.Portrait = name
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// FindPortrait returns the path of the portrait file, or "".
func (f *File) FindPortrait() string {
	if f.PortraitFile == "" || checkPortraitPath(f.PortraitFile) != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(f.Name), filepath.FromSlash(f.PortraitFile))
}

func checkPortraitPath(name string) error {
	switch {
	case strings.Contains(name, "://"):
		return fmt.Errorf(
			"%s: pictures are not downloaded: put the picture beside the persona file and write its file name here", name)
	case strings.Contains(name, `\`):
		return fmt.Errorf("%s: separate folders with /, on Windows too", name)
	case filepath.IsAbs(name) || strings.HasPrefix(name, "/") || strings.Contains(name, ":"):
		return fmt.Errorf("%s: give the picture's path from the persona file's folder, such as face.png", name)
	case !filepath.IsLocal(filepath.FromSlash(name)):
		return fmt.Errorf("%s: the picture must be in the persona file's folder or a folder inside it", name)
	}
	return nil
}

func readPortrait(folder, name string) ([]byte, error) {
	f, err := atomicfile.OpenInside(folder, filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New(
			"the picture was not found beside the persona file: put it there, or remove the field `portrait`")
	case err != nil && strings.Contains(err.Error(), "escapes"):
		return nil, errors.New("the picture is a link to a file outside of the persona file's folder: " +
			"put the picture itself into that folder")
	case err != nil:
		return nil, cli.PathReason(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, cli.PathReason(err)
	case info.IsDir():
		return nil, errors.New("it is a folder, not a picture")
	case info.Size() > int64(portrait.MaxBytes):
		return nil, fmt.Errorf("the picture has %d bytes, at most %d are allowed: "+
			"make it smaller; 256 by 256 pixels are enough", info.Size(), portrait.MaxBytes)
	}
	return io.ReadAll(io.LimitReader(f, int64(portrait.MaxBytes)+1))
}

// TakePortraitOut moves an embedded portrait to a picture file beside personaFile. known is the
// preferred name of the picture file, or "". Other pictures are never overwritten.
func TakePortraitOut(doc *personas.Persona, personaFile, known string) error {
	data, err := portrait.ReadURI(doc.Portrait)
	if err != nil {
		return nil //nolint:nilerr // it stays in the file as it is, and lint says what is wrong
	}
	stem := strings.TrimSuffix(filepath.Base(personaFile), filepath.Ext(personaFile))
	ending := portrait.FileEnding(data)
	for i, name := range []string{known, stem + ending, stem + "-" + portrait.ShortHash(data) + ending} {
		if name == "" || checkPortraitPath(name) != nil || filepath.Ext(name) != ending && i == 0 {
			continue
		}
		path := filepath.Join(filepath.Dir(personaFile), filepath.FromSlash(name))
		if isThere, err := placePortrait(path, data); isThere {
			doc.Portrait = name
			return nil
		} else if err != nil && i > 0 {
			return cli.WrapTrouble(fmt.Errorf("the portrait: %w", err), "")
		}
	}
	return nil
}

func placePortrait(path string, data []byte) (isThere bool, err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Create(path, data, 0o644)
		return err == nil, err
	}
	there, err := readPortrait(filepath.Dir(path), filepath.Base(path))
	return err == nil && portrait.SamePicture(there, data), nil
}
