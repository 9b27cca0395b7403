// What the Go module is called. The repository has no public address yet: see docs/decisions.md.

export const modulePath = 'github.com/ramz-verify/ramz/sdks/go';
/** Package of the generated messages. */
export const messagesPath = `${modulePath}/ramzv1`;
