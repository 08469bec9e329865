package pool

import "time"

// callGuess is how long a call is taken to last before one has ended.
const callGuess = time.Second

// callTimes knows how long calls last: what ended ones took on average, the
// latest counting most, or longer where none has ended for a while.
type callTimes struct {
	mean   time.Duration // 0: none has ended
	active int
	quiet  time.Time // since when calls are on their way and none has ended
}

func (c *callTimes) began(now time.Time) {
	if c.active == 0 {
		c.quiet = now
	}
	c.active++
}

func (c *callTimes) ended(now time.Time, took time.Duration) {
	c.active--
	c.quiet = now
	if c.mean == 0 {
		c.mean = took
		return
	}
	c.mean += (took - c.mean) / 8
}

// lasts is how long a call lasts that begins now.
func (c *callTimes) lasts(now time.Time) time.Duration {
	d := c.mean
	if d == 0 {
		d = callGuess
	}
	if c.active > 0 {
		d = max(d, now.Sub(c.quiet))
	}
	return d
}
