// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.GSMSpecificFeature;
import org.jsmpp.bean.MessageMode;
import org.jsmpp.bean.MessageType;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.OptionalParameter.Network_error_code.Network_error_code_type;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.TypeOfNumber;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.sms.Submission;

/** A delivery receipt, SMPP v3.4 5.2.28 and appendix B. Times are UTC; {@code text:} is empty, since a message may hold a code. */
record Receipt(Submission of, Outcome outcome, Instant at) {
  private static final DateTimeFormatter seconds = DateTimeFormatter.ofPattern("yyMMddHHmmss").withZone(ZoneOffset.UTC);
  static final ESMClass esmClass = new ESMClass(MessageMode.DEFAULT, MessageType.SMSC_DEL_RECEIPT, GSMSpecificFeature.DEFAULT);
  static final RegisteredDelivery registeredDelivery = new RegisteredDelivery(0);

  /** It comes from where the message went. */
  String source() {
    return of.to();
  }

  TypeOfNumber sourceTon() {
    return TypeOfNumber.INTERNATIONAL;
  }

  NumberingPlanIndicator sourceNpi() {
    return NumberingPlanIndicator.ISDN;
  }

  String destination() {
    return of.from();
  }

  TypeOfNumber destinationTon() {
    return of.isAlphanumeric() ? TypeOfNumber.ALPHANUMERIC : TypeOfNumber.INTERNATIONAL;
  }

  NumberingPlanIndicator destinationNpi() {
    return of.isAlphanumeric() ? NumberingPlanIndicator.UNKNOWN : NumberingPlanIndicator.ISDN;
  }

  byte[] text() {
    boolean isDelivered = outcome.state().equals("DELIVRD");
    return "id:%s sub:001 dlvrd:%s submit date:%s done date:%s stat:%s err:%s text:"
        .formatted(
            of.id(), isDelivered ? "001" : "000", seconds.format(of.submittedAt()), seconds.format(at), outcome.state(), outcome.error())
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
      case "EXPIRED" -> 3;
      case "UNDELIV" -> 5;
      case "REJECTD" -> 8;
      default -> 7;
    };
  }
}
