// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

/** Why a message of M3UA is not handed on, with the error code of RFC 4666 3.8.1. */
enum Fault {
  VERSION(0x01),
  UNSUPPORTED_CLASS(0x03),
  UNSUPPORTED_TYPE(0x04),
  LENGTH(0x07),
  PARAMETER(0x12),
  MISSING_PARAMETER(0x16),
  /** The stack failed at it. */
  STACK(0x07);

  final int code;

  Fault(int code) {
    this.code = code;
  }
}
