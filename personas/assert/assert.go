// Package assert compares values in tests. A failed comparison prints both values. Each function
// accepts an optional message, either one value or a format with arguments.
package assert

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

var update = flag.Bool("update", false, "write the golden files")

// TB is the part of testing.TB that assert uses.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// NoError ends the test if err is not nil.
func NoError(t TB, err error, message ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s%v", prefix(message), err)
	}
}

// True reports a failure if ok is false.
func True(t TB, ok bool, message ...any) {
	t.Helper()
	if !ok {
		t.Errorf("%s", strings.TrimSuffix(prefix(message), ": "))
	}
}

// Must ends the test if ok is false.
func Must(t TB, ok bool, message ...any) {
	t.Helper()
	if !ok {
		t.Fatalf("%s", strings.TrimSuffix(prefix(message), ": "))
	}
}

// Value returns a function that returns value, or ends the test if err is not nil:
//
//	text := assert.Value(os.ReadFile(path))(t)
func Value[T any](value T, err error) func(t TB, message ...any) T {
	return func(t TB, message ...any) T {
		t.Helper()
		NoError(t, err, message...)
		return value
	}
}

// Empty reports a failure if a slice, map or string has elements.
func Empty(t TB, got any, message ...any) {
	t.Helper()
	if reflect.ValueOf(got).Len() > 0 {
		t.Errorf("%sgot %+v, want nothing", prefix(message), got)
	}
}

// ErrorIs reports a failure if errors.Is(err, target) is false.
func ErrorIs(t TB, err, target error, message ...any) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%sgot the error %v, want %v", prefix(message), err, target)
	}
}

// ErrorAs returns the first error of type T in err, as errors.AsType does. It ends the test if there
// is none.
func ErrorAs[T error](t TB, err error, message ...any) T {
	t.Helper()
	found, ok := errors.AsType[T](err)
	if !ok {
		t.Fatalf("%sgot the error %T %v, want one of type %v", prefix(message), err, err, reflect.TypeFor[T]())
	}
	return found
}

// ErrorContains reports a failure if err is nil or its text does not contain the part.
func ErrorContains(t TB, err error, part string, message ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%sgot the error %v, want one with %q", prefix(message), err, part)
	}
}

// Equal reports a failure if got is not want.
func Equal[T comparable](t TB, got, want T, message ...any) {
	t.Helper()
	if got != want {
		fail(t, got, want, message)
	}
}

// EqualSlices reports a failure if two slices have different elements. Nil equals empty.
func EqualSlices[S ~[]E, E comparable](t TB, got, want S, message ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		fail(t, got, want, message)
	}
}

// DeepEqual reports a failure if reflect.DeepEqual is false.
func DeepEqual(t TB, got, want any, message ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		fail(t, got, want, message)
	}
}

// Contains reports a failure if text does not contain part.
func Contains(t TB, text, part string, message ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s%q is missing in\n%s", prefix(message), part, text)
	}
}

// NotContains reports a failure if text contains part.
func NotContains(t TB, text, part string, message ...any) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%s%q must not be in\n%s", prefix(message), part, text)
	}
}

// InOrder reports a failure if text does not contain the parts one after another.
func InOrder(t TB, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("%q is missing, or not after the texts before it, in\n%s", part, text)
			return
		}
		rest = after
	}
}

// Allocated returns the number of bytes that a function allocates, including freed memory.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Updating reports whether the test runs with -update.
func Updating() bool { return *update }

// Golden reports a failure if the file does not contain got. With the flag -update, Golden writes
// got to the file. CRLF line ends in the file are accepted.
func Golden[T string | []byte](t TB, file string, got T) {
	t.Helper()
	if Updating() {
		NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	NoError(t, err)
	if !bytes.Equal(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), []byte(got)) {
		t.Errorf("%s differs. If the change is intended, run the test with -update. The new content is:\n%s", file, got)
	}
}

func fail(t TB, got, want any, message []any) {
	t.Helper()
	format := "%s\n got %#v\nwant %#v"
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w && !strings.Contains(g, "0x") {
		format = "%s\n got %+v\nwant %+v"
		if reflect.TypeOf(got) != nil && reflect.TypeOf(got).Kind() == reflect.String {
			format = "%s\n got %q\nwant %q"
		}
	}
	t.Errorf(format, strings.TrimSuffix(prefix(message), ": "), got, want)
}

func prefix(message []any) string {
	if len(message) == 0 {
		return ""
	}
	if len(message) == 1 {
		return fmt.Sprint(message[0]) + ": "
	}
	return fmt.Sprintf(message[0].(string), message[1:]...) + ": "
}
