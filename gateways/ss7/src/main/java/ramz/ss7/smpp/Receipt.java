// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.OptionalParameter.Network_error_code.Network_error_code_type;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.sms.Submission;

/** A delivery receipt, SMPP v3.4 5.2.28 and appendix B. Times are UTC; {@code text:} is empty, since a message may hold a code. */
record Receipt(Submission of, Outcome outcome, Instant at) {
  private static final DateTimeFormatter minutes = DateTimeFormatter.ofPattern("yyMMddHHmmss").withZone(ZoneOffset.UTC);

  byte[] text() {
    boolean isDelivered = outcome.state().equals("DELIVRD");
    return "id:%s sub:001 dlvrd:%s submit date:%s done date:%s stat:%s err:%s text:"
        .formatted(
            of.id(), isDelivered ? "001" : "000", minutes.format(of.submittedAt()), minutes.format(at), outcome.state(), outcome.error())
        .getBytes(StandardCharsets.US_ASCII);
  }

  OptionalParameter[] parameters() {
    var error = Short.parseShort(outcome.error());
    return new OptionalParameter[] {
      new OptionalParameter.Receipted_message_id(of.id()),
      new OptionalParameter.Message_state(stateNumber()),
      new OptionalParameter.Network_error_code(Network_error_code_type.GSM, error),
    };
  }

  private byte stateNumber() {
    return switch (outcome.state()) {
      case "ENROUTE" -> 1;
      case "DELIVRD" -> 2;
      case "UNDELIV" -> 5;
      case "REJECTD" -> 8;
      default -> 7;
    };
  }
}
