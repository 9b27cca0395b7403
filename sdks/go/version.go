package ramz

import "runtime"

// Version of this module, without the v of its tag.
const Version = "0.1.0"

var userAgent = "ramz-go/" + Version + " " + runtime.Version()
