// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.function.BooleanSupplier;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.BroadcastSm;
import org.jsmpp.bean.CancelBroadcastSm;
import org.jsmpp.bean.CancelSm;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.GSMSpecificFeature;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.QueryBroadcastSm;
import org.jsmpp.bean.QuerySm;
import org.jsmpp.bean.ReplaceSm;
import org.jsmpp.bean.SubmitMulti;
import org.jsmpp.bean.SubmitSm;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.BroadcastSmResult;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.QueryBroadcastSmResult;
import org.jsmpp.session.QuerySmResult;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.ServerMessageReceiverListener;
import org.jsmpp.session.Session;
import org.jsmpp.session.SubmitMultiResult;
import org.jsmpp.session.SubmitSmResult;
import org.jsmpp.util.MessageId;
import ramz.ss7.delivery.Deliverer;
import ramz.ss7.sms.Parts;
import ramz.ss7.sms.Submission;

/** What clients may ask for: submit_sm, and nothing else. */
final class Intake implements ServerMessageReceiverListener {
  /** Without validity_period a message is tried for so long. */
  private static final Duration usualValidity = Duration.ofMinutes(10);

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
        validityEnd(submit.getValidityPeriod(), now),
        (submit.getRegisteredDelivery() & 3) != 0);
  }

  /** validity_period, SMPP v3.4 7.1.1: relative ({@code 000000001000000R}) or absolute. */
  static Instant validityEnd(String text, Instant now) throws ProcessRequestException {
    if (text == null || text.isEmpty()) return now.plus(usualValidity);
    try {
      return text.endsWith("R") ? relative(text, now) : absolute(text);
    } catch (RuntimeException error) {
      throw refused("validity_period is none", SMPPConstant.STAT_ESME_RINVEXPIRY);
    }
  }

  private static Instant relative(String text, Instant now) {
    if (!text.matches("[0-9]{15}R")) throw new IllegalArgumentException(text);
    long days = number(text, 0) * 365 + number(text, 2) * 30 + number(text, 4);
    return now.plusSeconds(((days * 24 + number(text, 6)) * 60 + number(text, 8)) * 60 + number(text, 10));
  }

  /** Year to tenths of a second, then the distance to UTC in quarters of an hour. */
  private static Instant absolute(String text) {
    if (!text.matches("[0-9]{15}[+-]")) throw new IllegalArgumentException(text);
    var local = LocalDateTime.of(2000 + (int) number(text, 0), (int) number(text, 2), (int) number(text, 4), (int) number(text, 6), (int) number(text, 8), (int) number(text, 10));
    int quarters = (int) number(text, 13) * (text.endsWith("-") ? -1 : 1);
    return local.toInstant(ZoneOffset.ofTotalSeconds(quarters * 900));
  }

  private static long number(String text, int at) {
    return Long.parseLong(text.substring(at, at + 2));
  }

  private static ProcessRequestException refused(String why, int status) {
    return new ProcessRequestException(why, status);
  }

  private static ProcessRequestException unknown() {
    return refused("only submit_sm is understood", SMPPConstant.STAT_ESME_RINVCMDID);
  }

  @Override
  public SubmitMultiResult onAcceptSubmitMulti(SubmitMulti request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public QuerySmResult onAcceptQuerySm(QuerySm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public void onAcceptReplaceSm(ReplaceSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public void onAcceptCancelSm(CancelSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public BroadcastSmResult onAcceptBroadcastSm(BroadcastSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public void onAcceptCancelBroadcastSm(CancelBroadcastSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public QueryBroadcastSmResult onAcceptQueryBroadcastSm(QueryBroadcastSm request, SMPPServerSession session)
      throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public DataSmResult onAcceptDataSm(DataSm request, Session session) throws ProcessRequestException {
    throw unknown();
  }
}
