package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// natsStreams is the number of streams, one for each of as many clients. A message is as large as a
// file in a repository of git.
const natsStreams = 32

// natsMessages returns how many messages a stream has.
func natsMessages(records int) int { return max(1, records*valueSize/blobSize/natsStreams) }

func natsName(stream int) string { return "stream" + strconv.Itoa(stream) }

// natsWait is how long a server may take to start, and to answer.
const natsWait = 30 * time.Second

// broker is a NATS server in this process, with its connections.
type broker struct {
	*server.Server
	connections []*nats.Conn
}

func openBroker(dir string) (*broker, error) {
	const limit = 1 << 40 // of memory and disk: more than there is
	s, err := server.NewServer(&server.Options{
		DontListen: true, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: dir, JetStreamMaxMemory: limit, JetStreamMaxStore: limit,
	})
	if err != nil {
		return nil, err
	}
	s.Start()
	b := &broker{Server: s}
	if !s.ReadyForConnections(natsWait) {
		return nil, errors.Join(errors.New("the server does not start"), b.Close())
	}
	return b, nil
}

// connect connects a client to the server.
func (b *broker) connect() (jetstream.JetStream, error) {
	c, err := nats.Connect("", nats.InProcessServer(b), nats.Timeout(natsWait))
	if err != nil {
		return nil, err
	}
	b.connections = append(b.connections, c)
	return jetstream.New(c)
}

// Close ends the server.
func (b *broker) Close() error {
	for _, c := range b.connections {
		c.Close()
	}
	b.Shutdown()
	b.WaitForShutdown()
	return nil
}

func fillNATS(dir string, records int) error {
	b, err := openBroker(dir)
	if err != nil {
		return err
	}
	js, err := b.connect()
	for i := 0; i < natsStreams && err == nil; i++ {
		err = fillStream(js, natsName(i), natsMessages(records))
	}
	return errors.Join(err, b.Close())
}

// fillStream makes a stream. Its limit gives it blocks of 4 MB, and is higher than its size.
func fillStream(js jetstream.JetStream, name string, messages int) error {
	ctx, cancel := context.WithTimeout(context.Background(), natsWait)
	defer cancel()
	limit := max(16<<20, int64(messages)*2*blobSize)
	_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Storage: jetstream.FileStorage, MaxBytes: limit})
	for i := 0; i < messages && err == nil; i++ {
		_, err = js.Publish(ctx, name, blob(i))
	}
	return err
}

// replays are consumers that read all streams, one after the other, from different ones on.
type replays struct {
	*broker
	messages int // in a stream
	clients  []replay
}

// replay is the consumer of one client. The stream is counted without end.
type replay struct {
	jetstream.JetStream
	stream int
	jetstream.MessagesContext
}

func openNATS(dir string, s load.Setup) (database, error) {
	b, err := openBroker(dir)
	if err != nil {
		return nil, err
	}
	r := &replays{broker: b, messages: natsMessages(s.Load.Records), clients: make([]replay, s.Load.Goroutines)}
	for i := range r.clients {
		c := replay{stream: i}
		if c.JetStream, err = b.connect(); err == nil {
			err = c.begin()
		}
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.clients[i] = c
	}
	return r, nil
}

// natsAhead is how many messages a client asks for before it has received them. The default of 500
// takes 8 MB of a client's memory.
const natsAhead = 32

// begin begins the stream with its first message.
func (c *replay) begin() error {
	ctx, cancel := context.WithTimeout(context.Background(), natsWait)
	defer cancel()
	consumer, err := c.OrderedConsumer(ctx, natsName(c.stream%natsStreams), jetstream.OrderedConsumerConfig{})
	if err == nil {
		c.MessagesContext, err = consumer.Messages(jetstream.PullMaxMessages(natsAhead))
	}
	return err
}

// do receives a message.
func (r *replays) do(client int, _ *rand.Rand) error {
	c := &r.clients[client]
	m, err := c.Next()
	if err != nil {
		return err
	}
	about, err := m.Metadata()
	if err != nil {
		return err
	}
	if n := len(m.Data()); n != blobSize {
		return fmt.Errorf("a message has %d bytes; want %d", n, blobSize)
	}
	if about.NumPending > 0 {
		return nil
	}
	if last := about.Sequence.Stream; last != uint64(r.messages) {
		return fmt.Errorf("a stream has %d messages; want %d", last, r.messages)
	}
	c.Stop()
	c.stream++
	return c.begin()
}

// Close ends the consumers and the server.
func (r *replays) Close() error {
	for _, c := range r.clients {
		if c.MessagesContext != nil {
			c.Stop()
		}
	}
	return r.broker.Close()
}
