package load

import (
	"encoding/json"
	"errors"
	"io"
)

// Performer performs slices of one load through one side. Its methods are not called concurrently.
type Performer interface {
	Run(SliceReq) (Slice, error)
	Explain() string // sluice's Explain; "" for other sides
	Stats() any      // sluice's Stats; nil for other sides
	Close() error
}

var _ Performer = (*Worker)(nil)

// Serve answers the requests of r on w until r ends: the parent closes the pipe or dies. It is the
// main loop of a worker process.
func Serve(r io.Reader, w io.Writer) error {
	return ServeBy(r, w, func(s Setup) (Performer, error) {
		worker, err := NewWorker(s)
		if err != nil { // an interface with a nil *Worker inside is not nil
			return nil, err
		}
		return worker, nil
	})
}

// ServeBy is Serve for the Performer that begin returns.
func ServeBy(r io.Reader, w io.Writer, begin func(Setup) (Performer, error)) error {
	s := server{dec: json.NewDecoder(r), enc: json.NewEncoder(w), begin: begin}
	err := s.serve()
	if s.worker != nil {
		err = errors.Join(err, s.worker.Close())
	}
	return err
}

type server struct {
	dec    *json.Decoder
	enc    *json.Encoder
	begin  func(Setup) (Performer, error)
	worker Performer // nil before Setup
}

func (s *server) serve() error {
	for {
		var req Request
		if err := s.dec.Decode(&req); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := s.enc.Encode(s.answer(req)); err != nil {
			return err
		}
	}
}

func (s *server) answer(req Request) Reply {
	switch {
	case req.Setup != nil && s.worker == nil:
		return s.setup(*req.Setup)
	case req.Slice != nil && s.worker != nil:
		return s.slice(*req.Slice)
	}
	return Failure(errors.New("request out of turn"))
}

func (s *server) setup(req Setup) Reply {
	worker, err := s.begin(req)
	if err != nil {
		return Failure(err)
	}
	s.worker = worker
	return Reply{Explain: worker.Explain()}
}

func (s *server) slice(req SliceReq) Reply {
	slice, err := s.worker.Run(req)
	if err != nil {
		return Failure(err)
	}
	reply := Reply{Slice: &slice, Explain: s.worker.Explain()}
	if stats := s.worker.Stats(); stats != nil {
		// Stats only help the reader of the JSON file. A slice without them is still a result.
		reply.Stats, _ = json.Marshal(stats)
	}
	return reply
}

// Failure is the Reply that reports an error.
func Failure(err error) Reply {
	if unsupported, ok := errors.AsType[*unsupportedError](err); ok {
		return Reply{Unsupported: unsupported.reason}
	}
	return Reply{Error: err.Error()}
}
