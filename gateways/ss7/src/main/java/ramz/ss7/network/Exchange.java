// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.concurrent.CompletableFuture;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextName;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPDialogSms;
import org.mobicents.protocols.ss7.sccp.parameter.SccpAddress;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.Why;

/** One request to the network, which may take two dialogues: the second in an older version of MAP, which the other side knows. */
final class Exchange {
  /** Adds the request to its dialogue. */
  interface Request {
    /** @param timeoutMs how long the answer is waited for */
    void addTo(MAPDialogSms dialog, MAPApplicationContextVersion version, int timeoutMs) throws MAPException;
  }

  /** How far the request has come, in the dialogue of the moment. */
  enum Stage {
    NEW,
    /** It is too long for the first message of a dialogue. That went out without it; it follows when the other side has confirmed the dialogue. */
    HELD_BACK,
    SENT
  }

  final MAPApplicationContextName context;
  final SccpAddress called;
  final int timeoutMs;
  final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private final Request request;
  volatile MAPApplicationContextVersion version = MAPApplicationContextVersion.version3;
  volatile Stage stage = Stage.NEW;

  Exchange(MAPApplicationContextName context, SccpAddress called, int timeoutMs, Request request) {
    this.context = context;
    this.called = called;
    this.timeoutMs = timeoutMs;
    this.request = request;
  }

  void addTo(MAPDialogSms dialog) throws MAPException {
    request.addTo(dialog, version, timeoutMs);
  }

  void done(Answer with) {
    answer.complete(with);
  }

  void failed(Why why, String what) {
    answer.complete(new Failed(why, stage == Stage.SENT, what));
  }
}
