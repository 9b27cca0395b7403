// `@ramz/sdk/proto`: the contract as protobuf-es messages and services, for Connect clients of your own.

export * from './gen/proto.ts';
