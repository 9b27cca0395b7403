// Buf plugin: the Go SDK's client, types, constants and tables. How they look is in go/; transport, errors and options are
// written by hand in sdks/go. The stubs in sdks/go/grpc are made by protoc-gen-go and protoc-gen-connect-go.

import { goFiles } from './go/files.ts';
import { runPlugin } from './plugin.ts';

runPlugin('ramz-go', goFiles);
