// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jsmpp.DefaultPDUSender;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.SynchronizedPDUSender;
import org.jsmpp.bean.DataCodings;
import org.jsmpp.bean.InterfaceVersion;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.extra.SessionState;
import org.jsmpp.session.BindRequest;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.connection.socket.SocketConnection;

/**
 * The connection of a client, bound or about to be. It is ended only when every receipt that went out over it is answered: with an unbind before
 * deliver_sm_resp the same receipt would go out again over the next bind.
 */
final class Bind implements Receipts.Receiver {
  private static final int bindTimeoutMs = 5_000;
  /** For the answer to a receipt. */
  private static final int answerTimeoutMs = 10_000;
  /** PDUs that wait for their turn. The library's 100 refused messages of a client with a window of 100, whose receipts it answers too. */
  private static final int mostUnread = 1_000;
  /** PDUs are looked at one after the other, in the order in which they came: a submit_sm is answered before the unbind behind it. */
  private static final int readers = 1;

  private final SMPPServerSession session;
  private final Consumer<Bind> onEnd;
  /** Receipts without an answer. */
  private int unanswered;
  private boolean takesReceipts;

  /** @param onEnd called when it is bound no more */
  Bind(Socket socket, int enquireLinkSeconds, Intake intake, Consumer<Bind> onEnd) throws IOException {
    this.onEnd = onEnd;
    // Answers and receipts are small: none waits for the acknowledgement of the one before.
    socket.setTcpNoDelay(true);
    var sender = new SynchronizedPDUSender(new DefaultPDUSender());
    session = new SMPPServerSession(
        new SocketConnection(socket), (state, before, source) -> changed(state), intake, null, readers, mostUnread, sender, new PduReader());
    session.setEnquireLinkTimer(enquireLinkSeconds * 1000);
    session.setTransactionTimer(answerTimeoutMs);
  }

  /** Waits for the client's wish to be bound. */
  BindRequest request() throws TimeoutException {
    return session.waitForBind(bindTimeoutMs);
  }

  void accept(BindRequest request, String systemId) throws PDUException, IOException {
    request.accept(systemId, InterfaceVersion.IF_34);
    // Not before: a receipt would come before the answer to the bind.
    synchronized (this) {
      takesReceipts = request.getBindType().isReceivable();
    }
  }

  synchronized boolean takesReceipts() {
    return takesReceipts;
  }

  @Override
  public boolean deliver(Receipt receipt)
      throws PDUException, ResponseTimeoutException, InvalidResponseException, NegativeResponseException, IOException {
    synchronized (this) {
      if (!takesReceipts) return false;
      unanswered += 1;
    }
    try {
      session.deliverShortMessage(
          "",
          receipt.sourceTon(),
          receipt.sourceNpi(),
          receipt.source(),
          receipt.destinationTon(),
          receipt.destinationNpi(),
          receipt.destination(),
          Receipt.esmClass,
          (byte) 0,
          (byte) 0,
          Receipt.registeredDelivery,
          DataCodings.ZERO,
          receipt.text(),
          receipt.parameters());
      return true;
    } finally {
      synchronized (this) {
        unanswered -= 1;
        notifyAll();
      }
    }
  }

  /** Sends no receipt any more, waits for the answers to those under way, and unbinds the client. */
  void unbind() {
    try {
      awaitAnswers();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    session.unbindAndClose();
  }

  private synchronized void awaitAnswers() throws InterruptedException {
    takesReceipts = false;
    long end = System.nanoTime() + answerTimeoutMs * 1_000_000L;
    for (long leftMs = answerTimeoutMs; unanswered > 0 && leftMs > 0; leftMs = (end - System.nanoTime()) / 1_000_000) wait(leftMs);
  }

  void close() {
    session.close();
    onEnd.accept(this);
  }

  private void changed(SessionState state) {
    if (state != SessionState.UNBOUND && state != SessionState.CLOSED) return;
    synchronized (this) {
      takesReceipts = false;
    }
    onEnd.accept(this);
  }
}
