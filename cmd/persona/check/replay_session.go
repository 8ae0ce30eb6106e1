package check

import (
	"context"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/replay"
)

// ReplaySession plays the conversations of a session with the persona of a file. The tracks are in
// the order of the conversations; one of a machine that the file does not have is empty and has
// left. llm names the judge.
func ReplaySession(ctx context.Context, access *service.Access, file string, llm service.LLMFlags, all []replay.Conversation) ([]replay.Track, error) {
	o := &replayOptions{Access: access, file: file, verdicts: verdictsAsked, llm: llm}
	t := &testOptions{Access: access, llm: llm}
	f, err := t.readPlayable(file)
	if err != nil {
		return nil, err
	}
	ask, _, closeJudge, err := o.openReplayJudge(t)
	if err != nil {
		return nil, err
	}
	tracks, err := playAll(ctx, &f.Doc, ask, all)
	if closeErr := closeJudge(err == nil); err == nil {
		err = closeErr
	}
	return tracks, err
}

func playAll(ctx context.Context, doc *personas.Persona, ask replay.Judge, all []replay.Conversation) ([]replay.Track, error) {
	v, err := replay.NewVersion(doc, ask)
	if err != nil {
		return nil, err
	}
	tracks := make([]replay.Track, len(all))
	for i := range all {
		if !v.HasMachine(all[i].Machine) {
			tracks[i].End = replay.EndLeft
			continue
		}
		if tracks[i], err = v.Play(ctx, &all[i]); err != nil {
			return nil, err
		}
	}
	return tracks, nil
}
