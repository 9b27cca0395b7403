// What the Go modules are called. The repository has no public address yet: see docs/decisions.md.

export const modulePath = 'github.com/ramz-verify/ramz/sdks/go';
/** The module with the stubs for gRPC and Connect, which brings protobuf along. */
export const grpcPath = `${modulePath}/grpc`;
/** Package of its messages. */
export const messagesPath = `${grpcPath}/ramzv1`;
