// Every target of the fuzzer.
import type { Target } from './target.ts';
import { config } from './targets/config.ts';
import { connection } from './targets/connection.ts';
import { address, grpc, rest } from './targets/doors.ts';
import { frames, pdu } from './targets/pdu.ts';
import { echo, receipt } from './targets/receipt.ts';
import { sdp, sip, sipFrames } from './targets/sip.ts';
import { wordsTarget } from './targets/words.ts';

export const targets: readonly Target[] = [
  pdu,
  frames,
  connection,
  receipt,
  echo,
  sip,
  sipFrames,
  sdp,
  rest,
  address,
  grpc,
  wordsTarget,
  config,
];
