// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sandbox;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.mobicents.protocols.ss7.map.api.errors.AbsentSubscriberDiagnosticSM;
import org.mobicents.protocols.ss7.map.api.errors.CallBarringCause;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessage;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessageFactory;
import org.mobicents.protocols.ss7.map.api.errors.SMEnumeratedDeliveryFailureCause;
import org.mobicents.protocols.ss7.map.api.errors.UnknownSubscriberDiagnostic;
import org.mobicents.protocols.ss7.map.api.primitives.NetworkResource;
import ramz.ss7.network.MapErrors;

/**
 * The subscribers of the simulated network. The last two digits of a number say what its phone does; each that is none of these takes
 * messages. README.md has this table.
 */
final class Phones {
  enum Habit {
    TAKES,
    ABSENT,
    ABSENT_AT_HLR,
    FULL,
    BARRED,
    UNKNOWN,
    UNIDENTIFIED,
    ILLEGAL,
    FACILITY,
    FAILING,
    /** Takes the message, and its switching centre never answers. */
    SILENT,
    COMES_BACK,
    BUSY_ONCE,
    /** Takes the message, and its switching centre breaks the dialogue off. */
    BROKEN_OFF,
    /** Takes messages by an SGSN. */
    PACKET_DATA
  }

  private static final Map<String, Habit> byEnding =
      Map.ofEntries(
          Map.entry("01", Habit.ABSENT),
          Map.entry("02", Habit.ABSENT_AT_HLR),
          Map.entry("03", Habit.FULL),
          Map.entry("04", Habit.BARRED),
          Map.entry("05", Habit.UNKNOWN),
          Map.entry("06", Habit.UNIDENTIFIED),
          Map.entry("07", Habit.ILLEGAL),
          Map.entry("08", Habit.FACILITY),
          Map.entry("09", Habit.FAILING),
          Map.entry("10", Habit.SILENT),
          Map.entry("11", Habit.COMES_BACK),
          Map.entry("12", Habit.BUSY_ONCE),
          Map.entry("13", Habit.BROKEN_OFF),
          Map.entry("14", Habit.PACKET_DATA));

  private final MAPErrorMessageFactory errors;
  /** Those that were away, or busy, once. */
  private final Set<String> tried = ConcurrentHashMap.newKeySet();

  Phones(MAPErrorMessageFactory errors) {
    this.errors = errors;
  }

  static Habit habitOf(String number) {
    return byEnding.getOrDefault(number.substring(Math.max(0, number.length() - 2)), Habit.TAKES);
  }

  /** The HLR's refusal to say where the phone is; null = it says so. */
  MAPErrorMessage routingError(String number) {
    return switch (habitOf(number)) {
      case ABSENT_AT_HLR ->
          errors.createMAPErrorMessageAbsentSubscriberSM(AbsentSubscriberDiagnosticSM.IMSIDetached, null, null);
      case BARRED -> errors.createMAPErrorMessageCallBarred(3L, CallBarringCause.operatorBarring, null, null);
      case UNKNOWN -> errors.createMAPErrorMessageUnknownSubscriber(null, UnknownSubscriberDiagnostic.imsiUnknown);
      case FACILITY -> errors.createMAPErrorMessageFacilityNotSup(null, null, null);
      default -> null;
    };
  }

  /** The handset's or the switching centre's refusal; null = the message is shown. */
  MAPErrorMessage deliveryError(String number) {
    return switch (habitOf(number)) {
      case ABSENT -> absent();
      case COMES_BACK -> tried.add(number) ? absent() : null;
      case FULL ->
          errors.createMAPErrorMessageSMDeliveryFailure(3, SMEnumeratedDeliveryFailureCause.memoryCapacityExceeded, null, null);
      case UNIDENTIFIED -> errors.createMAPErrorMessageExtensionContainer((long) MapErrors.unidentifiedSubscriber, null);
      case ILLEGAL -> errors.createMAPErrorMessageExtensionContainer((long) MapErrors.illegalSubscriber, null);
      case FAILING -> errors.createMAPErrorMessageSystemFailure(3, NetworkResource.vmsc, null, null);
      case BUSY_ONCE -> tried.add(number) ? errors.createMAPErrorMessageSubscriberBusyForMtSms(null, null) : null;
      default -> null;
    };
  }

  private MAPErrorMessage absent() {
    return errors.createMAPErrorMessageAbsentSubscriberSM(AbsentSubscriberDiagnosticSM.NoPagingResponseViaTheMSC, null, null);
  }
}
