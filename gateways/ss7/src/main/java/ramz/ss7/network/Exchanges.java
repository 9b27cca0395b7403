// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextName;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPParameterFactory;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.map.api.primitives.AddressNature;
import org.mobicents.protocols.ss7.map.api.primitives.AddressString;
import org.mobicents.protocols.ss7.map.api.primitives.ISDNAddressString;
import org.mobicents.protocols.ss7.map.api.primitives.NumberingPlan;
import org.mobicents.protocols.ss7.map.api.service.sms.SMDeliveryOutcome;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.settings.Settings;

/** The operations of MAP that a service centre and its SMS-GMSC need: 3GPP TS 29.002 chapter 12. */
public final class Exchanges implements MobileNetwork {
  private final MAPParameterFactory parameters;
  private final Settings settings;
  private final GlobalTitles titles;
  private final BooleanSupplier isCongested;
  private final Dialogues dialogues;
  private final Answers answers;

  /** @param isCongested whether the network asks for less traffic */
  public Exchanges(MAPProvider provider, Settings settings, BooleanSupplier isCongested) {
    this.settings = settings;
    this.isCongested = isCongested;
    parameters = provider.getMAPParameterFactory();
    titles = new GlobalTitles(settings.sccp().translationType());
    dialogues = new Dialogues(provider, titles.address(settings.sccp().globalTitle(), settings.sccp().ssn()));
    answers = new Answers(dialogues);
    var service = provider.getMAPServiceSms();
    service.acivate();
    service.addMAPServiceListener(answers);
  }

  @Override
  public void onAlert(Consumer<String> listener) {
    answers.onAlert(listener);
  }

  @Override
  public boolean isCongested() {
    return isCongested.getAsBoolean();
  }

  public int underWay() {
    return dialogues.underWay();
  }

  @Override
  public CompletableFuture<Answer> routingInfo(String number, boolean isUrgent) {
    return askHlr(
        number,
        (dialog, version, timeoutMs) ->
            dialog.addSendRoutingInfoForSMRequest(
                timeoutMs, isdn(number), isUrgent, serviceCentre(), null, false, null, null, null, false, null, false, false, null));
  }

  @Override
  public CompletableFuture<Answer> report(String number, SMDeliveryOutcome outcome, Integer absentDiagnostic) {
    return askHlr(
        number,
        (dialog, version, timeoutMs) ->
            dialog.addReportSMDeliveryStatusRequest(
                timeoutMs, isdn(number), serviceCentre(), outcome, absentDiagnostic, null, false, false, null, null));
  }

  @Override
  public CompletableFuture<Answer> forward(Routed to, SmsTpdu part, boolean moreFollow) {
    return dialogues.begin(
        new Exchange(
            MAPApplicationContextName.shortMsgMTRelayContext,
            titles.address(to.node(), to.isSgsn() ? settings.sccp().sgsnSsn() : settings.sccp().mscSsn()),
            settings.map().forwardTimeoutSeconds() * 1000,
            (dialog, version, timeoutMs) -> {
              var da = parameters.createSM_RP_DA(parameters.createIMSI(to.imsi()));
              var oa = parameters.createSM_RP_OA_ServiceCentreAddressOA(serviceCentre());
              var text = parameters.createSmsSignalInfo(part, StandardCharsets.ISO_8859_1);
              // Version 2 has one operation, forwardSM, for both directions.
              if (version == MAPApplicationContextVersion.version3)
                dialog.addMtForwardShortMessageRequest(timeoutMs, da, oa, text, moreFollow, null);
              else dialog.addForwardShortMessageRequest(timeoutMs, da, oa, text, moreFollow);
            }));
  }

  /** The HLR is found by the subscriber's own number: the network translates it. */
  private CompletableFuture<Answer> askHlr(String number, Exchange.Request request) {
    return dialogues.begin(
        new Exchange(
            MAPApplicationContextName.shortMsgGatewayContext,
            titles.address(number, settings.sccp().hlrSsn()),
            settings.map().routingTimeoutSeconds() * 1000,
            request));
  }

  private ISDNAddressString isdn(String digits) {
    return parameters.createISDNAddressString(AddressNature.international_number, NumberingPlan.ISDN, digits);
  }

  private AddressString serviceCentre() {
    return parameters.createAddressString(
        AddressNature.international_number, NumberingPlan.ISDN, settings.map().serviceCentre());
  }
}
