package draft

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
)

// Each request of a draft begins with the whole previous request. A server with a prefix cache then
// processes only the end.
//
//go:embed steps.txt
var stepInstructions string

// Progress reports the start of a step. Step counts from 1 to Of.
type Progress struct {
	Step, Of int
	// What describes the step, such as "who it is".
	What string
	// Repair means that the step requests unusable texts again.
	Repair bool
}

// DraftPersona drafts a persona in small steps. Unusable texts are requested again, and then filled
// from a template. watch, unless nil, is called before each request. An error in the first step is
// *InvalidBrief, ErrDeclined or *provider.Error. An error in a later step is returned with the
// unfinished draft.
func (d *Drafter) DraftPersona(ctx context.Context, b Brief, watch func(Progress)) (Draft, error) {
	if err := b.check(); err != nil {
		return Draft{}, err
	}
	if watch == nil {
		watch = func(Progress) {}
	}
	s := &stepDraft{drafter: d, brief: b, watch: watch, total: 2 + 3*stepStates}
	s.prefix.WriteString("The character:\n" + strings.TrimSpace(b.Description))
	if b.Name != "" {
		s.prefix.WriteString("\nIts name: " + b.Name)
	}
	profile := s.ask(ctx, "", "", whoTask(b.Name == ""))
	draft := Draft{Rounds: s.rounds, Usage: s.usage}
	if s.failed == nil {
		draft = s.finish(s.buildPersona(ctx, profile))
	}
	if s.failed != nil {
		return draft, fmt.Errorf("draft a persona: %w", s.failed)
	}
	return draft, nil
}

type stepDraft struct {
	drafter *Drafter
	brief   Brief
	watch   func(Progress)
	total   int
	step    int
	rounds  int
	usage   llm.Usage
	prefix  strings.Builder
	failed  error
	filled  []string
}

type texts map[string]string

func (s *stepDraft) ask(ctx context.Context, kind, label string, t stepTask) texts {
	s.step++
	answers := texts{}
	if s.failed != nil {
		return answers
	}
	open := t.members
	for round := range 2 {
		s.watch(Progress{Step: s.step, Of: s.total, What: t.title, Repair: round > 0})
		answer, err := s.drafter.askOnce(ctx, s.request(t, open, answers, round > 0), maxAnswer)
		s.rounds++
		s.usage = s.usage.Plus(answer.Usage)
		if errors.Is(err, ErrDeclined) && s.step > 1 {
			break
		}
		if err != nil {
			s.failed = err
			if ctx.Err() != nil {
				s.failed = ctx.Err()
			}
			break
		}
		read := readTexts(answer, open)
		for name, text := range read {
			if !answers.has(text) {
				answers[name] = text
			}
		}
		open = slices.DeleteFunc(slices.Clone(open), func(m stepMember) bool { return m.isOptional || answers[m.name] != "" })
		if len(open) == 0 {
			break
		}
	}
	s.tell(kind, label, t, answers)
	return answers
}

func (t texts) has(text string) bool {
	for _, t := range t {
		if strings.EqualFold(t, text) {
			return true
		}
	}
	return false
}

func (s *stepDraft) request(t stepTask, open []stepMember, answers texts, retry bool) provider.Request {
	text := s.prefix.String() + "\n\n" + t.task + " The members:" + describeMembers(open)
	if retry {
		text += "\nWrite only what is missing, in other words than these: " + strings.Join(answers.list(t), " / ")
	}
	tokens := 40 // low, because small models may repeat themselves endlessly
	for _, m := range open {
		tokens += m.limit/3 + 12
	}
	return provider.Request{
		Step: step, System: stepInstructions, Messages: []llm.Message{{Role: "user", Text: text}},
		Schema:    &provider.Schema{Name: "draft_step", JSON: stepSchema(open)},
		MaxTokens: tokens, NoThinking: true,
	}
}

// describeMembers describes the schema in words, because servers do not show the schema to the
// model.
func describeMembers(members []stepMember) string {
	var out strings.Builder
	for i := 0; i < len(members); {
		m, last := members[i], i
		for last+1 < len(members) && members[last+1].about == "" {
			last++
		}
		name := m.name
		if last > i {
			name += " to " + members[last].name
		}
		fmt.Fprintf(&out, "\n- %s: %s", name, m.about)
		i = last + 1
	}
	return out.String()
}

func (t texts) list(task stepTask) []string {
	var all []string
	for _, m := range task.members {
		if t[m.name] != "" {
			all = append(all, t[m.name])
		}
	}
	return all
}

func (s *stepDraft) tell(kind, label string, t stepTask, answers texts) {
	if kind == "examples." {
		return
	}
	for _, m := range t.members {
		if text := answers[m.name]; text != "" {
			fmt.Fprintf(&s.prefix, "\n%s: %s", strings.TrimSpace(label+" "+m.name), text)
		}
	}
}

func stepSchema(members []stepMember) []byte {
	var properties, required []string
	for _, m := range members {
		properties = append(properties, fmt.Sprintf(`%q:{"type":"string"}`, m.name))
		required = append(required, fmt.Sprintf("%q", m.name))
	}
	return fmt.Appendf(nil, `{"type":"object","additionalProperties":false,"required":[%s],"properties":{%s}}`,
		strings.Join(required, ","), strings.Join(properties, ","))
}

func readTexts(answer provider.Answer, members []stepMember) texts {
	var written map[string]any
	if json.Unmarshal([]byte(answer.Text), &written) != nil {
		// Use a truncated response up to the last complete text.
		end := strings.LastIndex(answer.Text, `",`)
		if end < 0 || json.Unmarshal([]byte(answer.Text[:end+1]+"}"), &written) != nil {
			return nil
		}
	}
	answers := texts{}
	for _, m := range members {
		text, _ := written[m.name].(string)
		text = strings.Join(strings.Fields(text), " ")
		text = shorten(plainBraces(text), m.limit)
		isName := strings.EqualFold(text, m.name)
		isTask := strings.EqualFold(strings.TrimRight(text, "."), strings.TrimRight(m.about, "."))
		if text == "" || isHidden(text) || answers.has(text) || isName || isTask {
			continue
		}
		answers[m.name] = text
	}
	return answers
}

func shorten(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	text = string(runes[:limit])
	if end := strings.LastIndexAny(text, ".!?"); end >= len(text)/3 {
		return text[:end+1]
	}
	end := strings.LastIndexByte(text, ' ')
	return strings.TrimRight(text[:max(end, 0)], " ,;:-")
}

var knownPlaceholders = map[string]bool{"player_name": true, "player_gender": true, "persona_name": true}

func plainBraces(text string) string {
	for name := range placeholdersOf(text) {
		if !knownPlaceholders[name] {
			text = strings.ReplaceAll(text, "{{"+name+"}}", name)
		}
	}
	return text
}

func (s *stepDraft) nameOf(profile texts) string {
	name := s.brief.Name
	if name == "" {
		name = s.take(profile, "", "name", "", "name")
	}
	return string([]rune(name)[:min(len([]rune(name)), personas.MaxName)])
}

func (s *stepDraft) take(from texts, kind, name, label, path string) string {
	if text := from[name]; text != "" {
		return text
	}
	s.filled = append(s.filled, path)
	return strings.ReplaceAll(templateTexts[kind+name], "{{label}}", label)
}
