package views

import (
	"reflect"
	"testing"

	"github.com/charmbracelet/bubbles/key"
)

// listBindings returns the bindings that have keys, in the order of the help.
func listBindings(m KeyMap) (list []key.Binding) {
	for _, group := range KeyGroups() {
		list = append(list, m.ListGroup(group)...)
	}
	return list
}

// Every binding is in the table, has help, and shares no key with another.
func TestKeyTable(t *testing.T) {
	keys := NewKeyMap()
	owner, listed := map[string]string{}, map[string]bool{}
	for _, b := range listBindings(keys) {
		listed[b.Help().Key] = true
		for _, k := range b.Keys() {
			if owner[k] != "" {
				t.Errorf("%s is the key of %q and of %q", k, owner[k], b.Help().Desc)
			}
			owner[k] = b.Help().Desc
		}
	}
	fields := reflect.ValueOf(keys)
	for i := range fields.NumField() {
		b, bound := fields.Field(i).Interface().(key.Binding)
		if !bound {
			continue // whether letters move
		}
		if !listed[b.Help().Key] || b.Help().Desc == "" {
			t.Errorf("%s is not in the key table", fields.Type().Field(i).Name)
		}
	}
}
