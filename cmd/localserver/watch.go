package localservercmd

import (
	"context"
	"net"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/playtest"
)

// A FileWatcher saves persona files on a service, now and whenever they change, until ctx is
// cancelled or stop is called.
type FileWatcher func(ctx context.Context, access *service.Access, watch service.FileWatch) (stop func())

func (o *localserverOptions) watchFiles(ctx context.Context, server *localserver.Server) (stop func(), err error) {
	if len(o.watched) == 0 {
		return func() {}, nil
	}
	c, err := o.NewClient(server.URL(), func(context.Context) (string, error) { return server.Token(), nil }, service.OwnTurnTimeout(server))
	if err != nil {
		return nil, err
	}
	s := &service.Service{Client: c, Address: server.URL(), Sessions: settings.NewMemorySessions()}
	watch := service.FileWatch{
		Service: s, Paths: o.watched, Temporary: o.data == datafolder.Memory || takesAnyPort(o.listen),
		Conversations: server.OpenConversations,
	}
	if o.llm.IsBuiltIn() {
		watch.Judge = playtest.BuiltInJudge()
	}
	return o.watch(ctx, o.Access, watch), nil
}

func takesAnyPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && (port == "0" || port == "")
}
