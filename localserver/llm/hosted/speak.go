package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Open asks for a machine's opening line. Where the provider refuses, the
// understudy opens.
func (m *Model) Open(ctx context.Context, scene llm.Scene) (llm.Speech, error) {
	s := m.step(m.steps.Response, m.steps.Limits.Response)
	build := func(short bool) (provider.Request, error) { return s.book.Open(shorter(scene, short)) }
	out := newSpoken(scene, prompt.Hidden(scene, llm.Beat{}), nil)
	return s.speak(ctx, out, build, func(context.Context) (llm.Speech, error) { return m.steps.Understudy.Open(ctx, scene) })
}

// Reply asks for the character's answer, and gives it piece by piece as it comes,
// without blanks at its ends and without the character's name in front. An empty
// answer is asked for once more. Where the provider refuses, or the model begins
// to quote its instructions, what was shown stays and the understudy goes on; the
// rest of such a quotation is heard and not shown, since what an answer cost is told
// at its end.
func (m *Model) Reply(ctx context.Context, scene llm.Scene, beat llm.Beat, emit func(delta string) error) (llm.Speech, error) {
	s := m.step(m.steps.Response, m.steps.Limits.Response)
	build := func(short bool) (provider.Request, error) { return s.book.Reply(shorter(scene, short), beat) }
	out := newSpoken(scene, prompt.Hidden(scene, beat), emit)
	return s.speak(ctx, out, build, func(ctx context.Context) (llm.Speech, error) {
		return m.steps.Understudy.Reply(ctx, scene, beat, func(string) error { return nil })
	})
}

// speak asks for a text until there is one.
func (s *step) speak(ctx context.Context, out *spoken, build builder, understudy func(context.Context) (llm.Speech, error)) (llm.Speech, error) {
	speech := llm.Speech{Why: s.asker.Model()}
	err := s.within(ctx, func(ctx context.Context) error {
		out.understudy = func() (llm.Speech, error) { return understudy(ctx) }
		answer, err := s.said(ctx, out, build)
		switch {
		case err != nil:
		case out.leaked:
			speech.Why += " began to quote its instructions and was cut off; deflected: " + out.stood
		case answer.Finish == provider.Refused:
			err = out.deflect()
			speech.Why += " would not answer; deflected: " + out.stood
		case answer.Finish == provider.Length:
			speech.Why += ", cut off at the longest answer that is asked for"
		}
		return err
	})
	speech.Text, speech.Usage = out.text.String(), s.usage
	return speech, err
}

// said asks for a text, and once more where it is empty. A leak is no error here.
func (s *step) said(ctx context.Context, out *spoken, build builder) (provider.Answer, error) {
	r, answer, err := s.askFitting(ctx, build, out.write)
	for tries := 1; ; tries++ {
		switch {
		case out.gone != nil:
			return answer, out.gone
		case out.leaked:
			s.usage.Model = s.asker.Model()
			return answer, nil
		case err != nil:
			return answer, err
		}
		if err = out.end(); err != nil || out.leaked || out.text.Len() > 0 || answer.Finish == provider.Refused {
			return answer, err
		}
		if tries == 2 {
			return answer, s.failure(provider.Down, "the answer came empty, twice", nil)
		}
		if r, err = s.book.Again(r, prompt.Empty); err == nil {
			answer, err = s.ask(ctx, r, out.write)
		}
	}
}
