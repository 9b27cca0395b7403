// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContext;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPDialog;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.map.api.dialog.MAPAbortProviderReason;
import org.mobicents.protocols.ss7.map.api.dialog.MAPAbortSource;
import org.mobicents.protocols.ss7.map.api.dialog.MAPDialogState;
import org.mobicents.protocols.ss7.map.api.dialog.MAPNoticeProblemDiagnostic;
import org.mobicents.protocols.ss7.map.api.dialog.MAPRefuseReason;
import org.mobicents.protocols.ss7.map.api.dialog.MAPUserAbortChoice;
import org.mobicents.protocols.ss7.map.api.primitives.MAPExtensionContainer;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPDialogSms;
import org.mobicents.protocols.ss7.sccp.parameter.SccpAddress;
import org.mobicents.protocols.ss7.tcap.asn.ApplicationContextName;
import ramz.ss7.network.Answer.Why;
import ramz.ss7.network.Exchange.Stage;

/** The dialogues of MAP in which requests go out, each from its beginning to whatever ends it: 3GPP TS 29.002 7.3. */
final class Dialogues extends QuietListener {
  private final MAPProvider provider;
  private final SccpAddress own;
  private final Map<Long, Exchange> open = new ConcurrentHashMap<>();

  Dialogues(MAPProvider provider, SccpAddress own) {
    this.provider = provider;
    this.own = own;
    provider.addMAPDialogListener(this);
  }

  int underWay() {
    return open.size();
  }

  CompletableFuture<Answer> begin(Exchange exchange) {
    exchange.stage = Stage.NEW;
    MAPDialogSms dialog = null;
    try {
      dialog = create(exchange);
      exchange.addTo(dialog);
      if (dialog.getMessageUserDataLengthOnSend() > dialog.getMaxUserDataLength()) {
        end(dialog);
        dialog = create(exchange);
        exchange.stage = Stage.HELD_BACK;
        // As long as nothing is invoked, no other timer runs.
        dialog.setIdleTaskTimeout(exchange.timeoutMs);
        dialog.send();
      } else {
        send(exchange, dialog);
      }
    } catch (MAPException | RuntimeException error) {
      if (dialog != null) end(dialog);
      exchange.failed(Why.NOT_CARRIED, String.valueOf(error.getMessage()));
    }
    return exchange.answer;
  }

  private MAPDialogSms create(Exchange exchange) throws MAPException {
    var context = MAPApplicationContext.getInstance(exchange.context, exchange.version);
    var dialog = provider.getMAPServiceSms().createNewDialog(context, own, null, exchange.called, null);
    // The network says so (UDTS, XUDTS) where it can not carry a message.
    dialog.setReturnMessageOnError(true);
    open.put(dialog.getLocalDialogId(), exchange);
    return dialog;
  }

  /** The other side may act from here on, even where the dialogue ends before this returns. */
  private static void send(Exchange exchange, MAPDialog dialog) throws MAPException {
    exchange.stage = Stage.SENT;
    dialog.send();
  }

  /** Ends the dialogue on this side alone; nothing that comes in it is heard any more. */
  private void end(MAPDialog dialog) {
    open.remove(dialog.getLocalDialogId());
    dialog.release();
  }

  void done(MAPDialog dialog, Answer answer) {
    Exchange exchange = open.remove(dialog.getLocalDialogId());
    if (exchange != null) exchange.done(answer);
  }

  void failed(MAPDialog dialog, Why why, String what) {
    Exchange exchange = open.remove(dialog.getLocalDialogId());
    if (exchange != null) exchange.failed(why, what);
  }

  /** The other side has confirmed a dialogue that began without its request: the request follows. */
  @Override
  public void onDialogDelimiter(MAPDialog dialog) {
    Exchange exchange = open.get(dialog.getLocalDialogId());
    if (exchange == null) endStray(dialog);
    if (exchange == null || exchange.stage != Stage.HELD_BACK) return;
    try {
      exchange.addTo((MAPDialogSms) dialog);
      send(exchange, dialog);
    } catch (MAPException | RuntimeException error) {
      failed(dialog, Why.NOT_CARRIED, String.valueOf(error.getMessage()));
      dialog.release();
    }
  }

  /** A dialogue that asks nothing we answer, or goes on after its end, would take up room until its timeout. */
  private void endStray(MAPDialog dialog) {
    if (dialog.getState() == MAPDialogState.EXPUNGED) return;
    try {
      var reason = provider.getMAPParameterFactory().createMAPUserAbortChoice();
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
    switch (reason) {
      case ApplicationContextNotSupported, PotentialVersionIncompatibility, PotentialVersionIncompatibilityTcap -> tryOlder(exchange, reason);
      // The stack's word for a first message that the network returned.
      case RemoteNodeNotReachable -> exchange.failed(Why.NOT_CARRIED, "the network returned the message");
      default -> exchange.failed(Why.REFUSED, "the dialogue was refused: " + reason);
    }
  }

  /** Switching centres of GSM phase 2 know version 2 at most. */
  private void tryOlder(Exchange exchange, MAPRefuseReason reason) {
    if (exchange.version == MAPApplicationContextVersion.version3) {
      exchange.version = MAPApplicationContextVersion.version2;
      begin(exchange);
    } else {
      exchange.failed(Why.REFUSED, "the dialogue was refused: " + reason);
    }
  }

  @Override
  public void onDialogUserAbort(MAPDialog dialog, MAPUserAbortChoice reason, MAPExtensionContainer extension) {
    failed(dialog, Why.ABORTED, "the other side's user aborted the dialogue");
  }

  @Override
  public void onDialogProviderAbort(
      MAPDialog dialog, MAPAbortProviderReason reason, MAPAbortSource source, MAPExtensionContainer extension) {
    failed(dialog, Why.ABORTED, "the dialogue was aborted: " + reason);
  }

  @Override
  public void onDialogNotice(MAPDialog dialog, MAPNoticeProblemDiagnostic problem) {
    failed(dialog, Why.NOT_CARRIED, "the network returned the message: " + problem);
    dialog.release();
  }

  @Override
  public void onDialogTimeout(MAPDialog dialog) {
    failed(dialog, Why.TIMEOUT, "no answer in time");
  }

  /** The last word of a dialogue that ended without an answer. */
  @Override
  public void onDialogRelease(MAPDialog dialog) {
    failed(dialog, Why.ABORTED, "the dialogue ended without an answer");
  }
}
