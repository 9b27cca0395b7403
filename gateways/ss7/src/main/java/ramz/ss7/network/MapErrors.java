// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.Map;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessage;
import ramz.ss7.network.Answer.MapError;

/** Errors of MAP by number, with the detail that some of them have. Names are those of 3GPP TS 29.002, 17.6. */
public final class MapErrors {
  public static final int unknownSubscriber = 1;
  public static final int unidentifiedSubscriber = 5;
  public static final int absentSubscriberSm = 6;
  public static final int illegalSubscriber = 9;
  public static final int illegalEquipment = 12;
  public static final int callBarred = 13;
  public static final int facilityNotSupported = 21;
  public static final int absentSubscriber = 27;
  public static final int subscriberBusy = 31;
  public static final int deliveryFailure = 32;
  public static final int systemFailure = 34;
  /** Cause of {@link #deliveryFailure}. */
  public static final int memoryCapacityExceeded = 0;

  private static final Map<Integer, String> names =
      Map.ofEntries(
          Map.entry(unknownSubscriber, "unknownSubscriber"),
          Map.entry(unidentifiedSubscriber, "unidentifiedSubscriber"),
          Map.entry(absentSubscriberSm, "absentSubscriberSM"),
          Map.entry(illegalSubscriber, "illegalSubscriber"),
          Map.entry(11, "teleserviceNotProvisioned"),
          Map.entry(illegalEquipment, "illegalEquipment"),
          Map.entry(callBarred, "callBarred"),
          Map.entry(facilityNotSupported, "facilityNotSupported"),
          Map.entry(absentSubscriber, "absentSubscriber"),
          Map.entry(subscriberBusy, "subscriberBusyForMT-SMS"),
          Map.entry(deliveryFailure, "sm-DeliveryFailure"),
          Map.entry(33, "messageWaitingListFull"),
          Map.entry(systemFailure, "systemFailure"),
          Map.entry(35, "dataMissing"),
          Map.entry(36, "unexpectedDataValue"),
          Map.entry(51, "resourceLimitation"));

  private MapErrors() {}

  public static String nameOf(int code) {
    return names.getOrDefault(code, "error" + code);
  }

  static MapError of(MAPErrorMessage error) {
    return new MapError(error.getErrorCode().intValue(), detailOf(error));
  }

  private static Integer detailOf(MAPErrorMessage error) {
    if (error.isEmAbsentSubscriberSM()) {
      var diagnostic = error.getEmAbsentSubscriberSM().getAbsentSubscriberDiagnosticSM();
      return diagnostic == null ? null : diagnostic.getCode();
    }
    if (error.isEmSMDeliveryFailure()) {
      var cause = error.getEmSMDeliveryFailure().getSMEnumeratedDeliveryFailureCause();
      return cause == null ? null : cause.getCode();
    }
    if (error.isEmCallBarred()) {
      var cause = error.getEmCallBarred().getCallBarringCause();
      return cause == null ? null : cause.getCode();
    }
    return null;
  }
}
