// CPU of a server per call: our REST and gRPC doors, each beside the lightest server that could stand in its place.

import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { CheckRequestSchema } from '../../src/gen/ramz/v1/verify_pb.ts';
import { type DoorReady, method, path, question } from '../doors/protocol.ts';
import { HttpClient } from '../load/http-client.ts';
import { closedLoop } from '../load/shapes.ts';
import { cpuUs } from '../measure/cpu.ts';
import type { Sample } from '../report/figures.ts';
import { startChild } from '../rig/children.ts';
import type { Rig } from '../rig/rig.ts';

/** Enough to keep a server busy, few enough that none queues for long. */
const inFlight = 32;
const warmupMs = 2_000;

interface Caller {
  call(): Promise<unknown>;
  close(): void;
}

export async function rest(rig: Rig, seconds: number): Promise<Sample[]> {
  const callerOf = ({ httpPort }: DoorReady): Caller => {
    const client = new HttpClient({ port: httpPort, headers: { authorization: `Bearer ${rig.apiKey}` } });
    const body = JSON.stringify(question);
    const call = async () => {
      const answer = await client.post(path, body);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    };
    return { call, close: () => client.close() };
  };
  const ours = await cpuPerCall('bench/doors/ramz.ts', rig, callerOf, seconds);
  const theirs = await cpuPerCall('bench/doors/fastify.ts', rig, callerOf, seconds);
  return [{ key: 'rest', unit: 'µs CPU/call', value: ours, reference: theirs }];
}

export async function grpc(rig: Rig, seconds: number): Promise<Sample[]> {
  const request = Buffer.from(toBinary(CheckRequestSchema, create(CheckRequestSchema, question)));
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${rig.apiKey}`);
  const asIs = (bytes: Buffer) => bytes;
  const callerOf = ({ grpcPort }: DoorReady): Caller => {
    const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
    const call = () =>
      new Promise<void>((resolve, reject) => {
        client.makeUnaryRequest(method, asIs, asIs, request, metadata, (error) => (error ? reject(error) : resolve()));
      });
    return { call, close: () => client.close() };
  };
  const ours = await cpuPerCall('bench/doors/ramz.ts', rig, callerOf, seconds);
  const theirs = await cpuPerCall('bench/doors/grpc-js.ts', rig, callerOf, seconds);
  return [{ key: 'grpc', unit: 'µs CPU/call', value: ours, reference: theirs }];
}

async function cpuPerCall(
  program: string,
  rig: Rig,
  callerOf: (ready: DoorReady) => Caller,
  seconds: number,
): Promise<number> {
  const child = await startChild<DoorReady>(program, { env: rig.environment });
  const caller = callerOf(child.ready);
  try {
    let before = 0;
    let after = 0;
    const { results } = await closedLoop(
      caller.call,
      { inFlight, warmupMs, measureMs: seconds * 1000 },
      {
        onMeasure: () => {
          before = cpuUs(child.pid);
        },
        onMeasured: () => {
          after = cpuUs(child.pid);
        },
      },
    );
    return (after - before) / results.length;
  } finally {
    caller.close();
    await child.stop();
  }
}
