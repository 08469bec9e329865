package stat

// AllOf estimates, from c successes in n tries, the probability that all of k
// tries succeed: C(c,k)/C(n,k) (pass^k of τ-bench). It returns [ErrUndefined]
// where there were fewer than k tries, and panics unless 0 <= c <= n and 0 < k.
func AllOf(k, c, n int) (float64, error) {
	if k < 1 || c < 0 || c > n {
		panic("stat: AllOf wants 0 < k and 0 <= c <= n")
	}
	if n < k {
		return 0, ErrUndefined
	}
	p := 1.0
	for i := range k {
		p *= float64(max(c-i, 0)) / float64(n-i)
	}
	return p, nil
}

// OneOf estimates, from c successes in n tries, the probability that at least one
// of k tries succeeds: 1 − C(n−c,k)/C(n,k) (pass@k). It returns [ErrUndefined]
// and panics as [AllOf] does.
func OneOf(k, c, n int) (float64, error) {
	if c < 0 || c > n {
		panic("stat: OneOf wants 0 <= c <= n")
	}
	p, err := AllOf(k, n-c, n)
	return 1 - p, err
}
