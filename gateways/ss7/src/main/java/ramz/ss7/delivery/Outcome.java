// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import ramz.ss7.network.Answer;
import ramz.ss7.network.Answer.Accepted;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.MapError;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.network.Answer.Why;
import ramz.ss7.network.MapErrors;

/**
 * What becomes of a message, in SMPP's words.
 *
 * @param state {@code stat:} of the receipt, SMPP v3.4 5.2.28
 * @param error {@code err:} of the receipt: see {@link #errorOf}
 * @param name of the error, for logs and metrics
 * @param next what is done about it
 * @param detail of MAP's error, where it has one; else null
 */
public record Outcome(String state, String error, String name, Next next, Integer detail) {
  public enum Next {
    /** This is the end of it. */
    OVER,
    /** The network may take it in a moment; nothing was delivered. */
    TRY_AGAIN,
    /** The phone is away or full: the HLR is asked to tell when that has changed. */
    WAIT_FOR_ALERT
  }

  static final Outcome delivered = new Outcome("DELIVRD", "000", "delivered", Next.OVER);

  /** The phone can be reached again, said the HLR (alertServiceCentre); the message goes out once more. */
  static final Outcome alerted = new Outcome("ENROUTE", "910", "alerted", Next.OVER);

  /** The validity ended before the switching centre was handed anything. */
  static final Outcome neverTried = new Outcome("EXPIRED", "904", "expired", Next.OVER);

  private Outcome(String state, String error, String name, Next next) {
    this(state, error, name, next, null);
  }

  /** The same, and nothing more is tried. */
  Outcome asLast() {
    return new Outcome(state, error, name, Next.OVER, detail);
  }

  /** The validity ended after this, which stays the reason. */
  Outcome asExpired() {
    return new Outcome("EXPIRED", error, name, Next.OVER, detail);
  }

  /**
   * @param delivers whether the request was one that delivers. Where it was sent and not answered nobody knows whether the message arrived, and it is
   *     never repeated
   */
  static Outcome of(Answer answer, boolean delivers) {
    if (answer instanceof Accepted || answer instanceof Routed) return delivered;
    if (answer instanceof MapError error) return ofError(error);
    Failed failed = (Failed) answer;
    return ofFailure(failed.why(), delivers && failed.isSent());
  }

  private static Outcome ofError(MapError error) {
    String name = MapErrors.nameOf(error.code());
    return switch (error.code()) {
      case MapErrors.absentSubscriber, MapErrors.absentSubscriberSm ->
          new Outcome("UNDELIV", errorOf(error), name, Next.WAIT_FOR_ALERT, error.detail());
      case MapErrors.deliveryFailure -> {
        boolean isFull = error.detail() != null && error.detail() == MapErrors.memoryCapacityExceeded;
        yield isFull
            ? new Outcome("UNDELIV", errorOf(error), "memoryCapacityExceeded", Next.WAIT_FOR_ALERT)
            : new Outcome("UNDELIV", errorOf(error), name, Next.OVER);
      }
      case MapErrors.systemFailure, MapErrors.subscriberBusy -> new Outcome("UNDELIV", errorOf(error), name, Next.TRY_AGAIN);
      case MapErrors.unknownSubscriber,
              MapErrors.unidentifiedSubscriber,
              MapErrors.illegalSubscriber,
              MapErrors.illegalEquipment,
              MapErrors.callBarred ->
          new Outcome("UNDELIV", errorOf(error), name, Next.OVER);
      default -> new Outcome("REJECTD", errorOf(error), name, Next.OVER);
    };
  }

  private static Outcome ofFailure(Why why, boolean mayHaveArrived) {
    return switch (why) {
      case TIMEOUT -> mayHaveArrived ? unknown("900", "timeout") : again("900", "timeout");
      case ABORTED -> mayHaveArrived ? unknown("901", "aborted") : again("901", "aborted");
      case REFUSED -> new Outcome("REJECTD", "902", "refused", Next.OVER);
      case NOT_CARRIED -> again("903", "not_carried");
    };
  }

  private static Outcome unknown(String error, String name) {
    return new Outcome("UNKNOWN", error, name, Next.OVER);
  }

  private static Outcome again(String error, String name) {
    return new Outcome("UNDELIV", error, name, Next.TRY_AGAIN);
  }

  /**
   * Three digits: the number of MAP's error (3GPP TS 29.002 17.6); where it has a detail 060 + the diagnostic of absentSubscriberSM, 130 +
   * the cause of callBarred, 320 + the cause of sm-DeliveryFailure. 9xx: no error of MAP's. operator.json has all of them in words.
   */
  static String errorOf(MapError error) {
    if (error.detail() == null) return "%03d".formatted(error.code());
    return switch (error.code()) {
      case MapErrors.absentSubscriberSm, MapErrors.callBarred, MapErrors.deliveryFailure ->
          "%03d".formatted(error.code() * 10 + error.detail());
      default -> "%03d".formatted(error.code());
    };
  }
}
