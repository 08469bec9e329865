package card

// Update is the flag -update of this package's tests.
var Update = update
