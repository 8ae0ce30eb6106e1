package draft

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

const stepRedirects = 4

func (s *stepDraft) buildPersona(ctx context.Context, profile texts) *personas.Persona {
	persona := &personas.Persona{Name: s.nameOf(profile)}
	persona.Description = s.take(profile, "", "description", "", "description")
	persona.IdentityPrompt = s.take(profile, "", "persona_identity_prompt", "", "persona_identity_prompt")
	scene := s.ask(ctx, "scene.", "", sceneTask())
	machine := personas.Machine{
		Name:        s.take(scene, "", "scene", "", "machines[0].name"),
		PlayerGoal:  s.take(scene, "", "player_goal", "", "machines[0].player_goal"),
		ScoringMode: personas.PassFail,
	}
	machine.Key = makeKey(machine.Name, "scene", nil)
	s.addStates(&machine, scene)
	for i := range stepStates {
		s.writeState(ctx, &machine, i)
	}
	persona.Machines = []personas.Machine{machine}
	return persona
}

func (s *stepDraft) addStates(machine *personas.Machine, scene texts) {
	var keys []string
	for i := range stepStates + 1 {
		name, path := fmt.Sprintf("step_%d", i+1), fmt.Sprintf("machines[0].states[%d]", i)
		state := personas.State{IsInitial: i == 0, IsTerminal: i == stepStates}
		if state.IsTerminal {
			name = "ending"
		}
		state.Label = s.take(scene, "", name, "", path+".label")
		state.Key = makeKey(state.Label, fmt.Sprintf("step-%d", i+1), keys)
		keys = append(keys, state.Key)
		if !state.IsTerminal {
			state.PromptInstruction = s.take(scene, "", name+"_asks", "", path+".prompt_instruction")
			state.MaxRedirects = new(stepRedirects)
		}
		machine.States = append(machine.States, state)
	}
	for i := range stepStates {
		machine.Transitions = append(machine.Transitions,
			personas.Transition{From: keys[i], To: keys[i+1], Decision: personas.DecidePass},
			personas.Transition{From: keys[i], Decision: personas.DecideReject},
			personas.Transition{From: keys[i], Decision: personas.DecideKickOut})
	}
}

func (s *stepDraft) writeState(ctx context.Context, machine *personas.Machine, i int) {
	state, path := &machine.States[i], fmt.Sprintf("machines[0].states[%d]", i)
	label := state.Label
	conditions := s.ask(ctx, "conditions.", label, conditionsTask(label))
	criterion := func(decision string) string {
		return s.take(conditions, "conditions.", decision, label, path+".evaluation_criteria."+decision)
	}
	state.Criteria = personas.Criteria{
		Pass: criterion("pass"), Redirect: criterion("redirect"),
		Reject: criterion("reject"), KickOut: criterion("kick_out"),
	}

	written := s.ask(ctx, "examples.", label, examplesTask(label))
	offline := &personas.Offline{}
	examples := &offline.Examples
	for k, list := range []*[]personas.Example{&examples.Pass, &examples.Redirect, &examples.Reject, &examples.KickOut} {
		*list = s.takeExamples(written, stepDecisions[k], path)
	}

	lines := s.ask(ctx, "lines.", label, linesTask(label, state.IsInitial))
	line := func(name, member string) []string {
		return []string{s.take(lines, "lines.", name, label, path+".offline."+member)}
	}
	if state.IsInitial {
		offline.Opening = line("begin", "opening")
	} else {
		offline.Lines.Enter = line("begin", "lines.enter")
	}
	offline.Lines.Pass, offline.Lines.Redirect = line("pass", "lines.pass"), line("redirect", "lines.redirect")
	offline.Lines.Reject, offline.Lines.KickOut = line("reject", "lines.reject"), line("kick_out", "lines.kick_out")
	offline.Lines.Unknown = line("unknown", "lines.unknown")
	offline.Answers = []personas.Answer{{Intent: personas.IntentHelp, Say: line("help", "answers")}}
	state.Offline = offline
}

func (s *stepDraft) takeExamples(answers texts, decision, path string) []personas.Example {
	var all []personas.Example
	for i := range stepExamples {
		if text := answers[fmt.Sprintf("%s_%d", decision, i+1)]; text != "" {
			all = append(all, personas.Example{Say: text})
		}
	}
	if len(all) > 0 {
		return all
	}
	s.filled = append(s.filled, path+".offline.examples."+decision)
	for text := range strings.SplitSeq(templateTexts["examples."+decision], "|") {
		all = append(all, personas.Example{Say: text})
	}
	return all
}

func makeKey(title, fallback string, used []string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	key := strings.Join(words, "-")
	key = cmp.Or(strings.Trim(key[:min(len(key), 40)], "-"), fallback)
	for n, base := 2, key; slices.Contains(used, key); n++ {
		key = fmt.Sprintf("%s-%d", base, n)
	}
	return key
}

func (s *stepDraft) finish(p *personas.Persona) Draft {
	draft := Draft{Persona: *p, Rounds: s.rounds, Usage: s.usage, Filled: s.filled}
	source, err := personas.EncodeJSON(*p)
	if err != nil {
		s.failed = cmp.Or(s.failed, err)
		return draft
	}
	_, _, faults := personas.Parse("draft.json", source)
	draft.Findings = lint.All(p, faults)
	for _, path := range s.filled {
		draft.Findings = append(draft.Findings, personas.Diagnostic{
			Path: path, Check: "draft-filled", Severity: lint.Warning,
			Message: "this is from the template, because the model wrote nothing usable: write what fits the character",
		})
	}
	return draft
}
