// CPU of a server per call: our REST and gRPC doors, each beside the lightest server that could stand in its place.

import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { CheckRequestSchema } from '../../src/gen/ramz/v1/verify_pb.ts';
import { type DoorReady, method, path, question } from '../doors/protocol.ts';
import { HttpClient } from '../load/http-client.ts';
import { cpuUs } from '../measure/cpu.ts';
import type { Sample } from '../report/figures.ts';
import { startChild } from '../rig/children.ts';
import type { Rig } from '../rig/rig.ts';

/** Enough to keep a server busy, few enough that none queues for long. */
const inFlight = 32;
/** By number, not by time: a busy machine must not measure code that is still being compiled. */
const warmupCalls = 20_000;
/** The two sides take turns this long, so that whatever else the machine does meets both. */
const sliceMs = 500;

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
  const programs = { ours: 'bench/doors/ramz.ts', theirs: 'bench/doors/fastify.ts' };
  const { ours, theirs } = await inTurns(rig, programs, callerOf, seconds);
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
  const programs = { ours: 'bench/doors/ramz.ts', theirs: 'bench/doors/grpc-js.ts' };
  const { ours, theirs } = await inTurns(rig, programs, callerOf, seconds);
  return [{ key: 'grpc', unit: 'µs CPU/call', value: ours, reference: theirs }];
}

interface Side {
  pid: number;
  caller: Caller;
  calls: number;
  cpuUs: number;
  close(): Promise<void>;
}

/** CPU time of one call in µs, of ours and of the reference. */
async function inTurns(
  rig: Rig,
  programs: { ours: string; theirs: string },
  callerOf: (ready: DoorReady) => Caller,
  seconds: number,
): Promise<{ ours: number; theirs: number }> {
  const sides: Side[] = [];
  const awake = stayAwake();
  try {
    for (const program of [programs.ours, programs.theirs]) sides.push(await startSide(program, rig, callerOf));
    for (const { caller } of sides) await callUntil(caller, (calls) => calls >= warmupCalls);
    for (const end = performance.now() + 2 * seconds * 1000; performance.now() < end; ) {
      for (const side of sides) await measureSlice(side);
    }
  } finally {
    awake.end();
    for (const side of sides) await side.close();
  }
  const [ours = Number.NaN, theirs = Number.NaN] = sides.map(({ cpuUs, calls }) => cpuUs / calls);
  return { ours, theirs };
}

async function startSide(program: string, rig: Rig, callerOf: (ready: DoorReady) => Caller): Promise<Side> {
  const child = await startChild<DoorReady>(program, { env: rig.environment });
  const caller = callerOf(child.ready);
  const close = () => {
    caller.close();
    return child.stop();
  };
  return { pid: child.pid, caller, calls: 0, cpuUs: 0, close };
}

async function measureSlice(side: Side): Promise<void> {
  const end = performance.now() + sliceMs;
  const before = cpuUs(side.pid);
  side.calls += await callUntil(side.caller, () => performance.now() >= end);
  side.cpuUs += cpuUs(side.pid) - before;
}

/** How many were made. */
async function callUntil(caller: Caller, done: (calls: number) => boolean): Promise<number> {
  let calls = 0;
  const worker = async () => {
    while (!done(calls)) {
      calls += 1;
      await caller.call();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return calls;
}

/**
 * Keeps this process from sleeping: waking a client up costs the server's system call more than the rest of a call, and only a
 * server that is slower than its client would be charged for it.
 */
function stayAwake(): { end(): void } {
  let awake = true;
  const turn = () => {
    if (awake) setImmediate(turn);
  };
  turn();
  return {
    end: () => {
      awake = false;
    },
  };
}
