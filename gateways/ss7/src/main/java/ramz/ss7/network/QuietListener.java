// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import org.mobicents.protocols.ss7.map.api.MAPDialog;
import org.mobicents.protocols.ss7.map.api.MAPDialogListener;
import org.mobicents.protocols.ss7.map.api.MAPMessage;
import org.mobicents.protocols.ss7.map.api.dialog.MAPAbortProviderReason;
import org.mobicents.protocols.ss7.map.api.dialog.MAPAbortSource;
import org.mobicents.protocols.ss7.map.api.dialog.MAPNoticeProblemDiagnostic;
import org.mobicents.protocols.ss7.map.api.dialog.MAPRefuseReason;
import org.mobicents.protocols.ss7.map.api.dialog.MAPUserAbortChoice;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessage;
import org.mobicents.protocols.ss7.map.api.primitives.AddressString;
import org.mobicents.protocols.ss7.map.api.primitives.MAPExtensionContainer;
import org.mobicents.protocols.ss7.map.api.service.sms.AlertServiceCentreRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.AlertServiceCentreResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.ForwardShortMessageRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.InformServiceCentreRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPServiceSmsListener;
import org.mobicents.protocols.ss7.map.api.service.sms.MoForwardShortMessageRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.MoForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.MtForwardShortMessageRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.MtForwardShortMessageResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.NoteSubscriberPresentRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ReadyForSMRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ReadyForSMResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.ReportSMDeliveryStatusRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ReportSMDeliveryStatusResponse;
import org.mobicents.protocols.ss7.map.api.service.sms.SendRoutingInfoForSMRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.SendRoutingInfoForSMResponse;
import org.mobicents.protocols.ss7.tcap.asn.ApplicationContextName;
import org.mobicents.protocols.ss7.tcap.asn.comp.Problem;

/** A listener of dialogues and of the short message service that does nothing: each side of the network overrides what it hears. */
public abstract class QuietListener implements MAPDialogListener, MAPServiceSmsListener {
  @Override
  public void onDialogDelimiter(MAPDialog a) {}

  @Override
  public void onDialogRequest(MAPDialog a, AddressString b, AddressString c, MAPExtensionContainer d) {}

  @Override
  public void onDialogRequestEricsson(MAPDialog a, AddressString b, AddressString c, AddressString d, AddressString e) {}

  @Override
  public void onDialogAccept(MAPDialog a, MAPExtensionContainer b) {}

  @Override
  public void onDialogReject(MAPDialog a, MAPRefuseReason b, ApplicationContextName c, MAPExtensionContainer d) {}

  @Override
  public void onDialogUserAbort(MAPDialog a, MAPUserAbortChoice b, MAPExtensionContainer c) {}

  @Override
  public void onDialogProviderAbort(MAPDialog a, MAPAbortProviderReason b, MAPAbortSource c, MAPExtensionContainer d) {}

  @Override
  public void onDialogClose(MAPDialog a) {}

  @Override
  public void onDialogNotice(MAPDialog a, MAPNoticeProblemDiagnostic b) {}

  @Override
  public void onDialogRelease(MAPDialog a) {}

  @Override
  public void onDialogTimeout(MAPDialog a) {}

  @Override
  public void onErrorComponent(MAPDialog a, Long b, MAPErrorMessage c) {}

  @Override
  public void onRejectComponent(MAPDialog a, Long b, Problem c, boolean d) {}

  @Override
  public void onInvokeTimeout(MAPDialog a, Long b) {}

  @Override
  public void onMAPMessage(MAPMessage a) {}

  @Override
  public void onForwardShortMessageRequest(ForwardShortMessageRequest a) {}

  @Override
  public void onForwardShortMessageResponse(ForwardShortMessageResponse a) {}

  @Override
  public void onMoForwardShortMessageRequest(MoForwardShortMessageRequest a) {}

  @Override
  public void onMoForwardShortMessageResponse(MoForwardShortMessageResponse a) {}

  @Override
  public void onMtForwardShortMessageRequest(MtForwardShortMessageRequest a) {}

  @Override
  public void onMtForwardShortMessageResponse(MtForwardShortMessageResponse a) {}

  @Override
  public void onSendRoutingInfoForSMRequest(SendRoutingInfoForSMRequest a) {}

  @Override
  public void onSendRoutingInfoForSMResponse(SendRoutingInfoForSMResponse a) {}

  @Override
  public void onReportSMDeliveryStatusRequest(ReportSMDeliveryStatusRequest a) {}

  @Override
  public void onReportSMDeliveryStatusResponse(ReportSMDeliveryStatusResponse a) {}

  @Override
  public void onInformServiceCentreRequest(InformServiceCentreRequest a) {}

  @Override
  public void onAlertServiceCentreRequest(AlertServiceCentreRequest a) {}

  @Override
  public void onAlertServiceCentreResponse(AlertServiceCentreResponse a) {}

  @Override
  public void onReadyForSMRequest(ReadyForSMRequest a) {}

  @Override
  public void onReadyForSMResponse(ReadyForSMResponse a) {}

  @Override
  public void onNoteSubscriberPresentRequest(NoteSubscriberPresentRequest a) {}
}
