// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.mobicents.protocols.ss7.map.api.service.sms.SMDeliveryOutcome;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import ramz.ss7.network.Answer.Routed;

/** What a service centre asks of mobile networks, and hears from them. Each answer comes, if only that there was none. */
public interface MobileNetwork {
  /** sendRoutingInfoForSM: asks the HLR where the subscriber is. */
  CompletableFuture<Answer> routingInfo(String number, boolean isUrgent);

  /** MT-ForwardSM: hands one part of a message to the switching centre, which answers when the handset has acknowledged it. */
  CompletableFuture<Answer> forward(Routed to, SmsTpdu part, boolean moreFollow);

  /**
   * reportSM-DeliveryStatus: says to the HLR what became of a message, so that it alerts us when the phone is back.
   *
   * @param absentDiagnostic why the phone is absent, as the switching centre said; null where it did not say, and for any other outcome
   */
  CompletableFuture<Answer> report(String number, SMDeliveryOutcome outcome, Integer absentDiagnostic);

  /** alertServiceCentre: calls {@code listener} with the number (E.164 digits) of a phone that can be reached again. */
  void onAlert(Consumer<String> listener);

  /** Whether the network asks for less traffic: requests still go out, but no message should be taken. */
  boolean isCongested();
}
