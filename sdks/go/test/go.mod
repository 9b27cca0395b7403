// What a user's project looks like: it has the SDK as a dependency. test/sdks/go.ts copies it away from here and installs
// the packed module in it. A module of its own, so that it is not part of the SDK.
module ramz.test/go

go 1.25

require github.com/ramz-verify/ramz/sdks/go v0.1.0

replace github.com/ramz-verify/ramz/sdks/go => ../
