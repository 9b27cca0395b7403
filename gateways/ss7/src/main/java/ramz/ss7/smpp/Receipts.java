// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jsmpp.bean.DataCodings;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.GSMSpecificFeature;
import org.jsmpp.bean.MessageMode;
import org.jsmpp.bean.MessageType;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.session.SMPPServerSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receipts on their way to the client, one thread for each bind that takes them. One that is not acknowledged is sent again over the next
 * bind, or after a pause; while there is none they wait, the newest {@value #most} of them.
 */
final class Receipts {
  static final int most = 100_000;
  /** After a receipt that was refused or not answered. */
  private static final long pauseMs = 1_000;
  private static final Logger log = LoggerFactory.getLogger(Receipts.class);

  private final Supplier<List<SMPPServerSession>> receivers;
  private final ExecutorService workers;
  private final Deque<Receipt> queue = new ArrayDeque<>();
  private int running;
  /** Sent, and not acknowledged yet. */
  private int sending;

  Receipts(Supplier<List<SMPPServerSession>> receivers, ExecutorService workers) {
    this.receivers = receivers;
    this.workers = workers;
  }

  synchronized int size() {
    return queue.size() + sending;
  }

  void send(Receipt receipt) {
    synchronized (this) {
      if (queue.size() >= most) queue.removeFirst();
      queue.addLast(receipt);
    }
    wake();
  }

  /** A bind has come, or a receipt: whoever can send does. */
  synchronized void wake() {
    // Those that run may be waiting for an acknowledgement, of a bind that is gone too.
    int wanted = Math.min(running + queue.size(), Math.max(1, receivers.get().size()) * 4);
    while (running < wanted) {
      running += 1;
      workers.execute(this::work);
    }
  }

  private void work() {
    for (Receipt receipt = next(); receipt != null; receipt = next()) {
      boolean isTaken = deliver(receipt);
      synchronized (this) {
        sending -= 1;
        if (isTaken) continue;
        // Behind the others: one that is refused each time must not hold them up.
        queue.addLast(receipt);
        running -= 1;
      }
      // Nothing else may come that wakes it: a client may well be unable to store a receipt for a moment, and stay bound.
      if (!workers.isShutdown()) CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS, workers).execute(this::wake);
      return;
    }
  }

  private synchronized Receipt next() {
    Receipt receipt = receivers.get().isEmpty() ? null : queue.pollFirst();
    if (receipt == null) running -= 1;
    else sending += 1;
    return receipt;
  }

  private boolean deliver(Receipt receipt) {
    for (SMPPServerSession each : receivers.get()) {
      try {
        each.deliverShortMessage(
            "",
            TypeOfNumber.INTERNATIONAL,
            NumberingPlanIndicator.ISDN,
            receipt.of().to(),
            receipt.of().isAlphanumeric() ? TypeOfNumber.ALPHANUMERIC : TypeOfNumber.INTERNATIONAL,
            receipt.of().isAlphanumeric() ? NumberingPlanIndicator.UNKNOWN : NumberingPlanIndicator.ISDN,
            receipt.of().from(),
            new ESMClass(MessageMode.DEFAULT, MessageType.SMSC_DEL_RECEIPT, GSMSpecificFeature.DEFAULT),
            (byte) 0,
            (byte) 0,
            new RegisteredDelivery(0),
            DataCodings.ZERO,
            receipt.text(),
            receipt.parameters());
        return true;
      } catch (Exception error) {
        log.warn("receipt of {} not acknowledged: {}", receipt.of().id(), error.getMessage());
      }
    }
    return false;
  }
}
