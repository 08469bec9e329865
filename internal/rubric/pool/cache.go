package pool

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
)

// Key identifies a request to a judge by content: the judge's identity, the
// prompt, the schema and the number of the sample.
func Key(identity string, r judge.Request) string {
	b, err := json.Marshal(r)
	if err != nil {
		panic("pool: a request that cannot be written: " + err.Error())
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s", len(identity), identity)
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// CacheConfig says what is remembered.
type CacheConfig struct {
	// MemoryBytes of replies. Default: 32 MiB.
	MemoryBytes int `mapstructure:"memory_bytes" yaml:"memory_bytes"`
	// Dir is a folder for replies that outlive the process. Default: none.
	Dir string `mapstructure:"dir" yaml:"dir"`
	// DiskBytes at most in Dir; beyond it the oldest go. Default: 1 GiB.
	DiskBytes int64 `mapstructure:"disk_bytes" yaml:"disk_bytes"`
}

// Cache keeps accepted replies by key. A nil *Cache keeps nothing. It is safe
// for concurrent use, also by several processes on one folder.
type Cache struct {
	config CacheConfig

	mu     sync.Mutex
	order  *list.List // of *cached, the most recently used first
	byKey  map[string]*list.Element
	bytes  int
	disk   int64
	failed error // the first trouble with the folder
}

type cached struct {
	key   string
	reply judge.Reply
	size  int
}

// entryOverhead is about what an entry costs besides its text.
const entryOverhead = 300

// OpenCache opens a cache, and prunes its folder to its limit.
func OpenCache(c CacheConfig) (*Cache, error) {
	if c.MemoryBytes == 0 {
		c.MemoryBytes = 32 << 20
	}
	if c.DiskBytes == 0 {
		c.DiskBytes = 1 << 30
	}
	k := &Cache{config: c, order: list.New(), byKey: map[string]*list.Element{}}
	if c.Dir == "" {
		return k, nil
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the folder of judge replies: %w", err)
	}
	if err := k.prune(); err != nil {
		return nil, fmt.Errorf("prune the folder of judge replies: %w", err)
	}
	return k, nil
}

// Get returns the reply that is kept under a key.
func (c *Cache) Get(key string) (judge.Reply, bool) {
	if c == nil {
		return judge.Reply{}, false
	}
	c.mu.Lock()
	if e := c.byKey[key]; e != nil {
		c.order.MoveToFront(e)
		reply := e.Value.(*cached).reply
		c.mu.Unlock()
		return reply, true
	}
	c.mu.Unlock()
	if c.config.Dir == "" {
		return judge.Reply{}, false
	}
	b, err := os.ReadFile(c.path(key))
	var reply judge.Reply
	if err != nil || json.Unmarshal(b, &reply) != nil {
		return judge.Reply{}, false // absent, or cut by a full disk: ask again
	}
	c.remember(key, reply)
	return reply, true
}

// Put keeps a reply. Trouble with the folder is kept for [Cache.Err]: a reply
// that cannot be kept is still a reply.
func (c *Cache) Put(key string, r judge.Reply) {
	if c == nil {
		return
	}
	c.remember(key, r)
	if c.config.Dir == "" {
		return
	}
	b, err := json.Marshal(r)
	if err == nil {
		err = writeFile(c.path(key), b)
	}
	c.mu.Lock()
	c.disk += int64(len(b))
	full := c.disk > c.config.DiskBytes
	c.mu.Unlock()
	if err == nil && full {
		err = c.prune()
	}
	if err != nil {
		c.mu.Lock()
		if c.failed == nil {
			c.failed = fmt.Errorf("keep a judge reply: %w", err)
		}
		c.mu.Unlock()
	}
}

// Err is the first trouble with the folder, or nil.
func (c *Cache) Err() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

func (c *Cache) remember(key string, r judge.Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		c.drop(e)
	}
	k := &cached{key: key, reply: r, size: len(r.Text) + entryOverhead}
	c.byKey[key] = c.order.PushFront(k)
	c.bytes += k.size
	for c.bytes > c.config.MemoryBytes && c.order.Len() > 0 {
		c.drop(c.order.Back())
	}
}

func (c *Cache) drop(e *list.Element) {
	k := c.order.Remove(e).(*cached)
	delete(c.byKey, k.key)
	c.bytes -= k.size
}

func (c *Cache) path(key string) string {
	return filepath.Join(c.config.Dir, key[:2], key[2:]+".json")
}

// writeFile writes a file that others see whole or not at all.
func writeFile(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// prune counts the folder, and removes the oldest files where it is too large.
func (c *Cache) prune() error {
	type file struct {
		path string
		size int64
		at   int64
	}
	var files []file
	var total int64
	err := filepath.WalkDir(c.config.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil // another process removed it
		}
		files = append(files, file{path, info.Size(), info.ModTime().UnixNano()})
		total += info.Size()
		return nil
	})
	if err != nil {
		return err
	}
	if total > c.config.DiskBytes {
		sort.Slice(files, func(i, j int) bool { return files[i].at < files[j].at })
		for _, f := range files {
			if total <= c.config.DiskBytes*9/10 {
				break
			}
			if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
				return err
			}
			total -= f.size
		}
	}
	c.mu.Lock()
	c.disk = total
	c.mu.Unlock()
	return nil
}
