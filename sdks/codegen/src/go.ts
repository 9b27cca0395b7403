// Buf plugin: the Go SDK's client, constants and tables, beside what protoc-gen-go and protoc-gen-connect-go make. How it
// looks is in go/; transport, errors and options are written by hand in sdks/go.

import { goFiles } from './go/files.ts';
import { runPlugin } from './plugin.ts';

runPlugin('ramz-go', goFiles);
