// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.function.Consumer;
import org.mobicents.protocols.ss7.map.api.MAPDialog;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessage;
import org.mobicents.protocols.ss7.map.api.service.sms.AlertServiceCentreRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.MtForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.ReportSMDeliveryStatusResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.SendRoutingInfoForSMResponse;
import org.mobicents.protocols.ss7.tcap.asn.comp.Problem;
import org.mobicents.protocols.ss7.tcap.asn.comp.ProblemType;
import ramz.ss7.network.Answer.Accepted;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.network.Answer.Why;

/** What the network answers in the dialogues of requests. And the one request that it makes itself, alertServiceCentre. */
final class Answers extends QuietListener {
  private final Dialogues dialogues;
  private volatile Consumer<String> onAlert = number -> {};

  Answers(Dialogues dialogues) {
    this.dialogues = dialogues;
  }

  /** Calls {@code listener} with the number (E.164 digits) of a phone that can be reached again. */
  void onAlert(Consumer<String> listener) {
    onAlert = listener;
  }

  @Override
  public void onSendRoutingInfoForSMResponse(SendRoutingInfoForSMResponse answer) {
    var node = answer.getLocationInfoWithLMSI();
    boolean isWhole = answer.getIMSI() != null && node != null && node.getNetworkNodeNumber() != null;
    if (isWhole)
      dialogues.done(
          answer.getMAPDialog(),
          new Routed(answer.getIMSI().getData(), node.getNetworkNodeNumber().getAddress(), node.getGprsNodeIndicator()));
    else dialogues.failed(answer.getMAPDialog(), Why.REFUSED, "the HLR's answer names no place");
  }

  @Override
  public void onMtForwardShortMessageResponse(MtForwardShortMessageResponse answer) {
    dialogues.done(answer.getMAPDialog(), new Accepted());
  }

  @Override
  public void onForwardShortMessageResponse(ForwardShortMessageResponse answer) {
    dialogues.done(answer.getMAPDialog(), new Accepted());
  }

  @Override
  public void onReportSMDeliveryStatusResponse(ReportSMDeliveryStatusResponse answer) {
    dialogues.done(answer.getMAPDialog(), new Accepted());
  }

  @Override
  public void onErrorComponent(MAPDialog dialog, Long invokeId, MAPErrorMessage error) {
    dialogues.done(dialog, MapErrors.of(error));
  }

  /** Of a result that the stack can't read it is the stack that rejects: the other side has acted. */
  @Override
  public void onRejectComponent(MAPDialog dialog, Long invokeId, Problem problem, boolean isLocal) {
    boolean isResult = isLocal && problem.getType() == ProblemType.ReturnResult;
    if (isResult) dialogues.failed(dialog, Why.ABORTED, "the result could not be read");
    else dialogues.failed(dialog, Why.REFUSED, "the request was rejected: " + problem.getType());
  }

  @Override
  public void onInvokeTimeout(MAPDialog dialog, Long invokeId) {
    dialogues.failed(dialog, Why.TIMEOUT, "no answer in time");
    dialog.release();
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
}
