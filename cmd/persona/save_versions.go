package persona

import (
	"context"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// leastListed is the number of files from which the service is asked for a list of versions,
// instead of each persona separately.
const leastListed = 3

// listVersions asks for the versions of all known personas at once. Personas missing from the list,
// which the interface does not promise to be complete, are asked for file by file. If that fails,
// the first file reports the reason.
func (o *saveOptions) listVersions(ctx context.Context, s *service.Service, files []*saveJob) {
	wanted := map[string]bool{}
	for _, f := range files {
		if f.err == nil && f.isKnownVersion() {
			wanted[f.target.id] = true
		}
	}
	if len(wanted) < leastListed {
		return
	}
	o.listed = map[string]wire.Persona{}
	list := client.PersonaList{Mine: true, PublicOnly: new(false), Limit: wire.MaxListLimit, Include: []string{wire.IncludeUpdatedAt}}
	// With more pages than files, each file is asked for separately.
	for range wanted {
		page, err := s.PersonaPage(ctx, list)
		if err != nil {
			return
		}
		for _, p := range page.Items {
			if p.UpdatedAt != nil && wanted[p.ID] {
				o.listed[p.ID] = wire.Persona{PersonaItem: p.PersonaItem, UpdatedAt: *p.UpdatedAt}
			}
		}
		if list.After = page.Next; list.After == "" || len(o.listed) == len(wanted) {
			break
		}
	}
	if len(o.listed) > 0 && o.json.On {
		o.nameOwner(ctx, s)
	}
}

// nameOwner sets the owner of the listed personas, which --json prints.
func (o *saveOptions) nameOwner(ctx context.Context, s *service.Service) {
	me, err := s.Me(ctx)
	if err != nil {
		o.listed = nil
		return
	}
	for id, p := range o.listed {
		p.UserID = me.ID
		o.listed[id] = p
	}
}

// isKnownVersion reports whether a file is saved as the version that parley.lock knows.
func (f *saveJob) isKnownVersion() bool {
	return f.lock != nil && f.lock.known && f.target.id == f.lock.entry.ID && f.target.version == f.lock.entry.UpdatedAt
}

// fetchVersion returns the persona that a file was saved as, as the service has it now.
func (o *saveOptions) fetchVersion(ctx context.Context, s *service.Service, id string, doc *personas.Persona) (wire.Persona, error) {
	if p, ok := o.listed[id]; ok {
		p.IdentityPrompt = doc.IdentityPrompt // it counts only where nothing has changed
		return p, nil
	}
	return s.Persona(ctx, id)
}
