// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.concurrent.CompletableFuture;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextName;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPDialogSms;
import org.mobicents.protocols.ss7.sccp.parameter.SccpAddress;

/** One request to the network, which may take two dialogues: the second in an older version that the other side knows. */
final class Exchange {
  /** Adds the request to its dialogue. */
  interface Request {
    void addTo(MAPDialogSms dialog, MAPApplicationContextVersion version) throws MAPException;
  }

  final MAPApplicationContextName context;
  final SccpAddress called;
  final Request request;
  final CompletableFuture<Answer> answer = new CompletableFuture<>();
  MAPApplicationContextVersion version = MAPApplicationContextVersion.version3;
  /** The request is too long for the first message of a dialogue and goes with the second. */
  boolean isHeldBack;

  Exchange(MAPApplicationContextName context, SccpAddress called, Request request) {
    this.context = context;
    this.called = called;
    this.request = request;
  }

  void done(Answer with) {
    answer.complete(with);
  }
}
