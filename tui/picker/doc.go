// Package picker is lists to choose from, narrowed by what is typed.
package picker
