package personas

// The types of the document are JSON values of one shape with what Parse reads
// and EncodeJSON writes, unknown members included.

// MarshalJSON writes the document's members, then the unknown ones.
func (x Persona) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Persona) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Variable) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Variable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Machine) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Machine) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x OutputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *OutputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x InputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *InputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x State) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *State) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Criteria) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Criteria) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Offline) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Offline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Examples) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Examples) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Lines) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Lines) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Transition) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Transition) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x TransitionOffline) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *TransitionOffline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Link) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Link) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }
