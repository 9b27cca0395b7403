// command_status (SMPP v3.4 section 5.1.3): names, and what each means for the request. Callers decide by the meaning, so that the
// numbers stay in this file.

/** Names as in the specification, without their common prefix ESME_. */
export const commandStatus = {
  ROK: 0x00,
  RINVMSGLEN: 0x01,
  RINVCMDLEN: 0x02,
  RINVCMDID: 0x03,
  RINVBNDSTS: 0x04,
  RALYBND: 0x05,
  RINVPRTFLG: 0x06,
  RINVREGDLVFLG: 0x07,
  RSYSERR: 0x08,
  RINVSRCADR: 0x0a,
  RINVDSTADR: 0x0b,
  RINVMSGID: 0x0c,
  RBINDFAIL: 0x0d,
  RINVPASWD: 0x0e,
  RINVSYSID: 0x0f,
  RCANCELFAIL: 0x11,
  RREPLACEFAIL: 0x13,
  RMSGQFUL: 0x14,
  RINVSERTYP: 0x15,
  RINVNUMDESTS: 0x33,
  RINVDLNAME: 0x34,
  RINVDESTFLAG: 0x40,
  RINVSUBREP: 0x42,
  RINVESMCLASS: 0x43,
  RCNTSUBDL: 0x44,
  RSUBMITFAIL: 0x45,
  RINVSRCTON: 0x48,
  RINVSRCNPI: 0x49,
  RINVDSTTON: 0x50,
  RINVDSTNPI: 0x51,
  RINVSYSTYP: 0x53,
  RINVREPFLAG: 0x54,
  RINVNUMMSGS: 0x55,
  RTHROTTLED: 0x58,
  RINVSCHED: 0x61,
  RINVEXPIRY: 0x62,
  RINVDFTMSGID: 0x63,
  RX_T_APPN: 0x64,
  RX_P_APPN: 0x65,
  RX_R_APPN: 0x66,
  RQUERYFAIL: 0x67,
  RINVOPTPARSTREAM: 0xc0,
  ROPTPARNOTALLWD: 0xc1,
  RINVPARLEN: 0xc2,
  RMISSINGOPTPARAM: 0xc3,
  RINVOPTPARAMVAL: 0xc4,
  RDELIVERYFAILURE: 0xfe,
  RUNKNOWNERR: 0xff,
} as const;

export type StatusMeaning =
  | 'accepted'
  /** The requests come too fast, or the SMSC is full: slow down, and try again. */
  | 'throttled'
  /** Refused now for no fault of the message: the request may be repeated. */
  | 'temporary'
  /** The same request will be refused again. */
  | 'permanent'
  /** The account is refused: repeating does not help, a person must correct the credentials or call the operator. */
  | 'credentials'
  /** The SMSC does not bind us now: it restarts, or has as many binds of ours as it allows. */
  | 'bind_failed'
  /** The SMSC still holds an earlier connection of ours; it lets go after its own timeout. */
  | 'already_bound'
  /** A code the specification keeps free or gives to vendors (0x400-0x4FF). Not accepted, that much is sure. */
  | 'unknown';

const names = new Map<number, string>(Object.entries(commandStatus).map(([name, code]) => [code, `ESME_${name}`]));

const meanings = new Map<number, StatusMeaning>([
  [commandStatus.ROK, 'accepted'],
  [commandStatus.RTHROTTLED, 'throttled'],
  [commandStatus.RMSGQFUL, 'throttled'],
  [commandStatus.RSYSERR, 'throttled'], // what overloaded SMSCs say most often
  [commandStatus.RINVBNDSTS, 'temporary'], // the bind is at fault, not the message
  [commandStatus.RX_T_APPN, 'temporary'],
  [commandStatus.RBINDFAIL, 'bind_failed'],
  [commandStatus.RINVPASWD, 'credentials'],
  [commandStatus.RINVSYSID, 'credentials'],
  [commandStatus.RALYBND, 'already_bound'],
  [commandStatus.RUNKNOWNERR, 'unknown'],
]);

export function statusMeaning(code: number): StatusMeaning {
  return meanings.get(code) ?? (names.has(code) ? 'permanent' : 'unknown');
}

/** `ESME_RTHROTTLED`, or `0x00000401` for a code without a name. */
export function statusName(code: number): string {
  return names.get(code) ?? `0x${code.toString(16).padStart(8, '0')}`;
}
