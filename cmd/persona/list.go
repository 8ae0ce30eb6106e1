package persona

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

type listOptions struct {
	*service.Access
	mine     bool
	all      bool
	limit    int
	everyOne bool // list all, ignoring limit
	json     cli.JSONFlag
}

func NewListCmd(access *service.Access) *cobra.Command {
	o := &listOptions{Access: access}
	c := &cobra.Command{
		Use:     "list",
		Short:   "List personas, newest first",
		Example: "  parley persona list\n  parley persona list --mine --json id,name",
		Args:    cli.ExactArgs(),
		RunE: func(c *cobra.Command, _ []string) error {
			o.everyOne = o.all && !c.Flags().Changed("limit")
			return runList(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.mine, "mine", false, "only your own personas, including unpublished ones")
	c.Flags().BoolVar(&o.all, "all", false,
		"list all personas, including your own unpublished ones, unless --limit is set")
	c.Flags().IntVar(&o.limit, "limit", wire.DefaultListLimit, "list at most `N` personas")
	o.json.AddFlags(c, wire.PersonaItem{})
	return c
}

func runList(ctx context.Context, o *listOptions) error {
	if o.limit < 1 {
		return cli.UsageError("--limit %d: must be at least 1; --all lists all", o.limit)
	}
	s, err := o.Connect()
	if err != nil {
		return err
	}
	found, err := o.listPages(ctx, s)
	if err != nil {
		return fmt.Errorf("list personas: %w", err)
	}
	if err := o.printPersonas(found.Items); err != nil {
		return err
	}
	o.sayTotal(found)
	return nil
}

func (o *listOptions) listPages(ctx context.Context, s *service.Service) (client.PersonaPage, error) {
	list := client.PersonaList{Mine: o.mine, Include: []string{wire.IncludeTotal}}
	if o.all || o.mine {
		list.PublicOnly = new(false)
	}
	most := o.limit
	if o.everyOne {
		most = 0
	}
	return s.PersonaPages(ctx, list, most)
}

func (o *listOptions) printPersonas(items []wire.ListedPersona) error {
	if o.json.On {
		return o.PrintJSON(o.json, items)
	}
	if len(items) == 0 && o.TTY.Out {
		o.Say("no personas are published here: `parley persona list --mine` lists your own, and `parley persona publish` publishes a saved one")
		return nil
	}
	rows := make([][]string, 0, len(items))
	for _, p := range items {
		rows = append(rows, []string{p.ID, p.Name, visibilityText(p.IsPublic),
			o.ShownTime(p.CreatedAt.Time).Format(cli.MinuteLayout), p.Description})
	}
	return o.PageTable([]string{"ID", "NAME", "SEEN BY", "CREATED", "DESCRIPTION"}, rows)
}

func (o *listOptions) sayTotal(found client.PersonaPage) {
	n := len(found.Items)
	switch {
	case found.Next != "" && found.Total > n:
		o.Say("the newest %d of %d are listed: --all lists all", n, found.Total)
	case found.Total < 0 && n >= wire.MaxListLimit:
		o.Say("this service lists only the newest %d; there may be more", n)
	case o.TTY.Out && n > 0:
		o.Say("%s", cli.Pluralize(n, "persona"))
	}
}

func visibilityText(public bool) string {
	if public {
		return "everybody"
	}
	return "you"
}

func NewShowCmd(access *service.Access) *cobra.Command {
	var json cli.JSONFlag
	c := &cobra.Command{
		Use:     "show PERSONA",
		Short:   "Show a persona with its machines and links",
		Example: "  parley persona show Biscuit\n  parley persona show Biscuit --json > biscuit.json",
		Args:    cli.ExactArgs("PERSONA"),
		RunE: func(c *cobra.Command, args []string) error {
			return showPersona(c.Context(), access, args[0], json)
		},
	}
	json.AddFlags(c, wire.FullPersona{})
	return c
}

func showPersona(ctx context.Context, access *service.Access, persona string, json cli.JSONFlag) error {
	s, id, err := access.ConnectNearPersona(ctx, persona)
	if err != nil {
		return err
	}
	full, err := s.FullPersona(ctx, id)
	if err != nil {
		return fmt.Errorf("show %s: %w", persona, err)
	}
	if json.On {
		return access.PrintJSON(json, full)
	}
	_, err = fmt.Fprint(access.Out,
		terminal.CleanLines(describePersona(full, access.ShownTime(full.Persona.UpdatedAt.Time))))
	return err
}

func describePersona(full wire.FullPersona, updated time.Time) string {
	var b strings.Builder
	p := full.Persona
	fmt.Fprintf(&b, "%s\n%s\n\nid       %s\nseen by  %s\nupdated  %s\n", p.Name, p.Description, p.ID,
		visibilityText(p.IsPublic), updated.Format("2006-01-02 15:04:05 MST"))
	for i := range full.Machines {
		describeMachine(&b, &full.Machines[i].Machine)
	}
	doc := full.Document()
	for i, l := range full.Links {
		if i == 0 {
			b.WriteString("\nlinks\n")
		}
		fmt.Fprintf(&b, "  %s opens %s %s\n", l.Source, l.Target,
			personafiles.DescribeCondition(l, personafiles.IsOpen(&doc, l.Target)))
	}
	return b.String()
}

func describeMachine(b *strings.Builder, machine *personas.Machine) {
	rules := "pass or fail"
	if machine.Mode() != personas.PassFail {
		rules = fmt.Sprintf("ACCEPT from %d points, REJECT at %d", machine.Threshold(), machine.FailBound())
	}
	fmt.Fprintf(b, "\nmachine %s: %s (%s)\n", machine.Key, machine.Title(), rules)
	for i := range machine.States {
		s := &machine.States[i]
		fmt.Fprintf(b, "  %s %s", s.Key, s.Title())
		if s.IsInitial {
			b.WriteString(" [start]")
		}
		if s.IsTerminal {
			b.WriteString(" [end]")
		}
		b.WriteString("\n")
		for _, t := range machine.Transitions {
			if t.From == s.Key {
				fmt.Fprintf(b, "    %s\n", transitionText(t))
			}
		}
	}
}

func transitionText(t personas.Transition) string {
	text := string(t.Decision)
	if t.To != "" && t.To != t.From {
		text += " -> " + t.To
	}
	if t.ScoreDelta != 0 {
		text += fmt.Sprintf(" (%+d)", t.ScoreDelta)
	}
	if t.Condition != "" {
		text += ": " + t.Condition
	}
	return text
}
