// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContext;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextName;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPDialog;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.MAPParameterFactory;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.map.api.dialog.MAPAbortProviderReason;
import org.mobicents.protocols.ss7.map.api.dialog.MAPAbortSource;
import org.mobicents.protocols.ss7.map.api.dialog.MAPDialogState;
import org.mobicents.protocols.ss7.map.api.dialog.MAPNoticeProblemDiagnostic;
import org.mobicents.protocols.ss7.map.api.dialog.MAPRefuseReason;
import org.mobicents.protocols.ss7.map.api.dialog.MAPUserAbortChoice;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessage;
import org.mobicents.protocols.ss7.map.api.primitives.AddressNature;
import org.mobicents.protocols.ss7.map.api.primitives.AddressString;
import org.mobicents.protocols.ss7.map.api.primitives.ISDNAddressString;
import org.mobicents.protocols.ss7.map.api.primitives.MAPExtensionContainer;
import org.mobicents.protocols.ss7.map.api.primitives.NumberingPlan;
import org.mobicents.protocols.ss7.map.api.service.sms.AlertServiceCentreRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPDialogSms;
import org.mobicents.protocols.ss7.map.api.service.sms.MtForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.ReportSMDeliveryStatusResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.SMDeliveryOutcome;
import org.mobicents.protocols.ss7.map.api.service.sms.SendRoutingInfoForSMResponse;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import org.mobicents.protocols.ss7.sccp.parameter.SccpAddress;
import org.mobicents.protocols.ss7.tcap.asn.ApplicationContextName;
import org.mobicents.protocols.ss7.tcap.asn.comp.Problem;
import ramz.ss7.network.Answer.Accepted;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.network.Answer.Why;
import ramz.ss7.settings.Settings;

/**
 * The dialogues of a gateway service centre, 3GPP TS 29.002 chapter 12: each request is a future that always completes, with what the
 * network said or that it said nothing. And the one request that the network makes, alertServiceCentre.
 */
public final class Exchanges extends QuietListener {
  private final MAPProvider provider;
  private final MAPParameterFactory parameters;
  private final Settings settings;
  private final GlobalTitles titles;
  private final BooleanSupplier isCongested;
  private final Map<Long, Exchange> open = new ConcurrentHashMap<>();
  private volatile Consumer<String> onAlert = number -> {};

  /** @param isCongested whether the network asks for less traffic */
  public Exchanges(MAPProvider provider, Settings settings, BooleanSupplier isCongested) {
    this.provider = provider;
    this.settings = settings;
    this.isCongested = isCongested;
    parameters = provider.getMAPParameterFactory();
    titles = new GlobalTitles(settings.sccp().translationType());
    var service = provider.getMAPServiceSms();
    service.acivate();
    service.addMAPServiceListener(this);
    provider.addMAPDialogListener(this);
  }

  /** Calls {@code listener} with the number (E.164 digits) of a phone that can be reached again. */
  public void onAlert(Consumer<String> listener) {
    onAlert = listener;
  }

  /** Whether the network asks for less traffic: requests still go out, but no message should be taken. */
  public boolean isCongested() {
    return isCongested.getAsBoolean();
  }

  public int underWay() {
    return open.size();
  }

  /** Asks the HLR where the subscriber is. */
  public CompletableFuture<Answer> routingInfo(String number, boolean isUrgent) {
    int timeout = settings.map().routingTimeoutSeconds() * 1000;
    return begin(
        new Exchange(
            MAPApplicationContextName.shortMsgGatewayContext,
            titles.address(number, settings.sccp().hlrSsn()),
            (dialog, version) ->
                dialog.addSendRoutingInfoForSMRequest(
                    timeout, isdn(number), isUrgent, serviceCentre(), null, false, null, null, null, false, null, false, false, null)));
  }

  /** Hands one part of a message to the switching centre, which answers when the handset has acknowledged it. */
  public CompletableFuture<Answer> forward(Routed to, SmsTpdu part, boolean moreFollow) {
    int timeout = settings.map().forwardTimeoutSeconds() * 1000;
    return begin(
        new Exchange(
            MAPApplicationContextName.shortMsgMTRelayContext,
            titles.address(to.node(), settings.sccp().mscSsn()),
            (dialog, version) -> {
              var da = parameters.createSM_RP_DA(parameters.createIMSI(to.imsi()));
              var oa = parameters.createSM_RP_OA_ServiceCentreAddressOA(serviceCentre());
              var text = parameters.createSmsSignalInfo(part, StandardCharsets.ISO_8859_1);
              if (version == MAPApplicationContextVersion.version3)
                dialog.addMtForwardShortMessageRequest(timeout, da, oa, text, moreFollow, null);
              else dialog.addForwardShortMessageRequest(timeout, da, oa, text, moreFollow);
            }));
  }

  /**
   * Reports to the HLR what became of a message, so that it alerts us when the phone is back.
   *
   * @param absentDiagnostic why the phone is absent, as the switching centre said; null where it did not say, and for any other outcome
   */
  public CompletableFuture<Answer> report(String number, SMDeliveryOutcome outcome, Integer absentDiagnostic) {
    int timeout = settings.map().routingTimeoutSeconds() * 1000;
    return begin(
        new Exchange(
            MAPApplicationContextName.shortMsgGatewayContext,
            titles.address(number, settings.sccp().hlrSsn()),
            (dialog, version) ->
                dialog.addReportSMDeliveryStatusRequest(
                    timeout, isdn(number), serviceCentre(), outcome, absentDiagnostic, null, false, false, null, null)));
  }

  private CompletableFuture<Answer> begin(Exchange exchange) {
    MAPDialogSms dialog = null;
    try {
      var context = MAPApplicationContext.getInstance(exchange.context, exchange.version);
      dialog = provider.getMAPServiceSms().createNewDialog(context, ownAddress(), null, exchange.called, null);
      open.put(dialog.getLocalDialogId(), exchange);
      dialog.setReturnMessageOnError(true);
      exchange.request.addTo(dialog, exchange.version);
      exchange.isHeldBack = dialog.getMessageUserDataLengthOnSend() > dialog.getMaxUserDataLength();
      if (exchange.isHeldBack) {
        open.remove(dialog.getLocalDialogId());
        dialog.release();
        dialog = provider.getMAPServiceSms().createNewDialog(context, ownAddress(), null, exchange.called, null);
        dialog.setReturnMessageOnError(true);
        open.put(dialog.getLocalDialogId(), exchange);
      }
      dialog.send();
    } catch (MAPException | RuntimeException error) {
      if (dialog != null) open.remove(dialog.getLocalDialogId());
      exchange.done(new Failed(Why.NOT_CARRIED, String.valueOf(error.getMessage())));
    }
    return exchange.answer;
  }

  private SccpAddress ownAddress() {
    return titles.address(settings.sccp().globalTitle(), settings.sccp().ssn());
  }

  private ISDNAddressString isdn(String digits) {
    return parameters.createISDNAddressString(AddressNature.international_number, NumberingPlan.ISDN, digits);
  }

  private AddressString serviceCentre() {
    return parameters.createAddressString(
        AddressNature.international_number, NumberingPlan.ISDN, settings.map().serviceCentre());
  }

  private void done(MAPDialog dialog, Answer answer) {
    Exchange exchange = open.remove(dialog.getLocalDialogId());
    if (exchange != null) exchange.done(answer);
  }

  @Override
  public void onSendRoutingInfoForSMResponse(SendRoutingInfoForSMResponse answer) {
    var node = answer.getLocationInfoWithLMSI();
    boolean isWhole = answer.getIMSI() != null && node != null && node.getNetworkNodeNumber() != null;
    done(
        answer.getMAPDialog(),
        isWhole
            ? new Routed(answer.getIMSI().getData(), node.getNetworkNodeNumber().getAddress())
            : new Failed(Why.REFUSED, "the HLR's answer names no place"));
  }

  @Override
  public void onMtForwardShortMessageResponse(MtForwardShortMessageResponse answer) {
    done(answer.getMAPDialog(), new Accepted());
  }

  @Override
  public void onForwardShortMessageResponse(ForwardShortMessageResponse answer) {
    done(answer.getMAPDialog(), new Accepted());
  }

  @Override
  public void onReportSMDeliveryStatusResponse(ReportSMDeliveryStatusResponse answer) {
    done(answer.getMAPDialog(), new Accepted());
  }

  @Override
  public void onAlertServiceCentreRequest(AlertServiceCentreRequest request) {
    var dialog = request.getMAPDialog();
    try {
      dialog.addAlertServiceCentreResponse(request.getInvokeId());
      dialog.close(false);
    } catch (MAPException gone) {
      // The HLR does not wait for the answer any more; the phone is back all the same.
    }
    onAlert.accept(request.getMsisdn().getAddress());
  }

  @Override
  public void onErrorComponent(MAPDialog dialog, Long invokeId, MAPErrorMessage error) {
    done(dialog, MapErrors.of(error));
  }

  @Override
  public void onRejectComponent(MAPDialog dialog, Long invokeId, Problem problem, boolean isLocal) {
    done(dialog, new Failed(Why.REFUSED, "the request was rejected: " + problem.getType()));
  }

  @Override
  public void onInvokeTimeout(MAPDialog dialog, Long invokeId) {
    done(dialog, new Failed(Why.TIMEOUT, "no answer in time"));
    dialog.release();
  }

  /** The other side has taken the empty first message of a dialogue: the request follows. */
  @Override
  public void onDialogDelimiter(MAPDialog dialog) {
    Exchange exchange = open.get(dialog.getLocalDialogId());
    if (exchange == null) endStray(dialog);
    if (exchange == null || !exchange.isHeldBack) return;
    exchange.isHeldBack = false;
    try {
      exchange.request.addTo((MAPDialogSms) dialog, exchange.version);
      dialog.send();
    } catch (MAPException error) {
      done(dialog, new Failed(Why.NOT_CARRIED, error.getMessage()));
      dialog.release();
    }
  }

  /** A dialogue that asks nothing we answer, or goes on after its end, would take up room until its timeout. */
  private void endStray(MAPDialog dialog) {
    if (dialog.getState() == MAPDialogState.EXPUNGED) return;
    try {
      var reason = parameters.createMAPUserAbortChoice();
      reason.setUserSpecificReason();
      dialog.abort(reason);
    } catch (MAPException gone) {
      dialog.release();
    }
  }

  @Override
  public void onDialogReject(
      MAPDialog dialog, MAPRefuseReason reason, ApplicationContextName alternative, MAPExtensionContainer extension) {
    Exchange exchange = open.remove(dialog.getLocalDialogId());
    if (exchange == null) return;
    boolean isTooNew =
        switch (reason) {
          case ApplicationContextNotSupported, PotentialVersionIncompatibility, PotentialVersionIncompatibilityTcap -> true;
          default -> false;
        };
    if (isTooNew && exchange.version == MAPApplicationContextVersion.version3) {
      exchange.version = MAPApplicationContextVersion.version2;
      begin(exchange);
    } else {
      exchange.done(new Failed(Why.REFUSED, "the dialogue was refused: " + reason));
    }
  }

  @Override
  public void onDialogUserAbort(MAPDialog dialog, MAPUserAbortChoice reason, MAPExtensionContainer extension) {
    done(dialog, new Failed(Why.ABORTED, "the other side's user aborted the dialogue"));
  }

  @Override
  public void onDialogProviderAbort(
      MAPDialog dialog, MAPAbortProviderReason reason, MAPAbortSource source, MAPExtensionContainer extension) {
    done(dialog, new Failed(Why.ABORTED, "the dialogue was aborted: " + reason));
  }

  @Override
  public void onDialogNotice(MAPDialog dialog, MAPNoticeProblemDiagnostic problem) {
    done(dialog, new Failed(Why.NOT_CARRIED, "the network returned the message: " + problem));
    dialog.release();
  }

  @Override
  public void onDialogTimeout(MAPDialog dialog) {
    done(dialog, new Failed(Why.TIMEOUT, "no answer in time"));
  }

  /** The last word of a dialogue that ended without an answer. */
  @Override
  public void onDialogRelease(MAPDialog dialog) {
    done(dialog, new Failed(Why.ABORTED, "the dialogue ended without an answer"));
  }
}
