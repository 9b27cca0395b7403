// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.HexFormat;
import java.util.function.BooleanSupplier;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.GSMSpecificFeature;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.SubmitSm;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.SubmitSmResult;
import org.jsmpp.util.MessageId;
import ramz.ss7.delivery.Deliverer;
import ramz.ss7.sms.Parts;
import ramz.ss7.sms.Submission;

/** Takes submit_sm, SMPP v3.4 4.4: reads it, and hands it on or says why not. */
final class Intake extends SubmitOnly {
  private final Deliverer deliverer;
  private final Clock clock;
  private final BooleanSupplier isStopping;
  private final SecureRandom random = new SecureRandom();

  Intake(Deliverer deliverer, Clock clock, BooleanSupplier isStopping) {
    this.deliverer = deliverer;
    this.clock = clock;
    this.isStopping = isStopping;
  }

  @Override
  public SubmitSmResult onAcceptSubmitSm(SubmitSm submit, SMPPServerSession session) throws ProcessRequestException {
    if (isStopping.getAsBoolean()) throw refused("the gateway is stopping", SMPPConstant.STAT_ESME_RSUBMITFAIL);
    Submission submission = submissionOf(submit);
    try {
      if (!deliverer.take(submission)) throw refused("too many messages under way", SMPPConstant.STAT_ESME_RTHROTTLED);
      return new SubmitSmResult(new MessageId(submission.id()), new OptionalParameter[0]);
    } catch (Parts.Unsendable error) {
      throw refused(error.getMessage(), SMPPConstant.STAT_ESME_RINVDCS);
    } catch (org.jsmpp.PDUStringException error) {
      throw new IllegalStateException(error);
    }
  }

  private Submission submissionOf(SubmitSm submit) throws ProcessRequestException {
    String to = submit.getDestAddress();
    if (!to.matches("[0-9]{7,15}")) throw refused("destination is no international number", SMPPConstant.STAT_ESME_RINVDSTADR);
    String from = submit.getSourceAddr();
    boolean isNumber = from.matches("[0-9]{1,20}") && submit.getSourceAddrTon() != TypeOfNumber.ALPHANUMERIC.value();
    if (from.isEmpty() || (!isNumber && from.length() > 11)) throw refused("no source address", SMPPConstant.STAT_ESME_RINVSRCADR);
    var payload = submit.getOptionalParameter(OptionalParameter.Message_payload.class);
    byte[] message = payload == null ? submit.getShortMessage() : payload.getValue();
    Instant now = clock.instant();
    return new Submission(
        HexFormat.of().toHexDigits(random.nextLong()),
        from,
        !isNumber,
        to,
        submit.getDataCoding() & 0xff,
        GSMSpecificFeature.UDHI.containedIn(submit.getEsmClass()) || GSMSpecificFeature.UDHI_REPLYPATH.containedIn(submit.getEsmClass()),
        message == null ? new byte[0] : message,
        submit.getPriorityFlag() > 0,
        now,
        validityEnd(submit, now),
        (submit.getRegisteredDelivery() & 3) != 0);
  }

  private static Instant validityEnd(SubmitSm submit, Instant now) throws ProcessRequestException {
    try {
      return ValidityPeriod.end(submit.getValidityPeriod(), now);
    } catch (RuntimeException error) {
      throw refused("validity_period is none", SMPPConstant.STAT_ESME_RINVEXPIRY);
    }
  }

  private static ProcessRequestException refused(String why, int status) {
    return new ProcessRequestException(why, status);
  }
}
