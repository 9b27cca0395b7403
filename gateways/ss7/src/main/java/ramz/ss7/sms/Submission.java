// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sms;

import java.time.Instant;

/**
 * A message as it was submitted.
 *
 * @param id that of submit_sm_resp
 * @param isAlphanumeric whether {@code from} is a name
 * @param to E.164 digits
 * @param dataCoding SMPP v3.4 5.2.19
 * @param hasHeader whether {@code message} begins with a user data header
 * @param isUrgent whether the network is asked to try although the phone is noted as absent
 * @param until when its validity ends
 * @param wantsReceipt whether the sender asked for one
 */
public record Submission(
    String id,
    String from,
    boolean isAlphanumeric,
    String to,
    int dataCoding,
    boolean hasHeader,
    byte[] message,
    boolean isUrgent,
    Instant submittedAt,
    Instant until,
    boolean wantsReceipt) {
  public boolean isValidAt(Instant moment) {
    return until.isAfter(moment);
  }
}
