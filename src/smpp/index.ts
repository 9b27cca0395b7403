// The public surface of the library: SMPP v3.4 for a client (ESME). Only these exports are kept stable; all others serve the library.

export { Bind, type BindOptions, type SubmitAnswer, type SubmitResult } from './bind.ts';
export { type Decoded, decodePdu, encodePdu } from './codec.ts';
export type { DeliverHandler, Incoming } from './deliveries.ts';
export { Framer, type FramingFault } from './framing.ts';
export type { BindObserver, BindState, Oddity } from './observer.ts';
export {
  type Command,
  commandIds,
  FieldError,
  type FieldProblem,
  INTERFACE_VERSION,
  type Pdu,
  type PduInput,
  type Tlv,
} from './pdu.ts';
export {
  type Delivery,
  isIntermediate,
  isReceipt,
  type MessageState,
  messageOctets,
  type Receipt,
  type ReceiptOptions,
  readReceipt,
} from './receipt.ts';
export { maskFrame, maskReceipt, withoutNuls } from './receipt-text.ts';
export { commandStatus, type StatusMeaning, statusMeaning, statusName } from './status.ts';
export {
  countSegments,
  type DefaultAlphabet,
  decodeGsm7,
  decodeUcs2,
  type EncodedText,
  encodeGsm7,
  encodeText,
  encodeUcs2,
} from './text.ts';
export type { BackoffOptions, Clock, Timer } from './timers.ts';
export {
  absoluteTime,
  guessReceiptDateFormat,
  type ReceiptDateFormat,
  receiptDateForms,
  relativeTime,
  type ValidityFormat,
  type ValidityOptions,
  validityPeriod,
} from './times.ts';
export { findTlv, tags, tlvNumber, tlvText } from './tlv.ts';
export type { Opener, TlsOptions } from './transport.ts';
