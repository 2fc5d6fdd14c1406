package load

import (
	"encoding/json"
	"errors"
	"io"
)

// Serve answers the requests of r on w until r ends, which is when the parent closes the pipe or
// dies. It is the main loop of a worker process.
func Serve(r io.Reader, w io.Writer) error {
	s := server{dec: json.NewDecoder(r), enc: json.NewEncoder(w)}
	err := s.serve()
	if s.worker != nil {
		err = errors.Join(err, s.worker.Close())
	}
	return err
}

type server struct {
	dec    *json.Decoder
	enc    *json.Encoder
	worker *Worker // nil before Setup
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
	worker, err := NewWorker(req)
	if err != nil {
		return Failure(err)
	}
	s.worker = worker
	return Reply{Explain: worker.target.explain}
}

func (s *server) slice(req SliceReq) Reply {
	slice, err := s.worker.Run(req)
	if err != nil {
		return Failure(err)
	}
	reply := Reply{Slice: &slice}
	if stats := s.worker.target.stats; stats != nil {
		// Stats are an aid to the reader of the JSON file; a slice without
		// them is still a result.
		reply.Stats, _ = json.Marshal(stats())
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
