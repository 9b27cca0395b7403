// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
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
 * bind; while there is none they wait, the newest {@value #most} of them.
 */
final class Receipts {
  static final int most = 100_000;
  private static final Logger log = LoggerFactory.getLogger(Receipts.class);

  private final Supplier<List<SMPPServerSession>> receivers;
  private final ExecutorService workers;
  private final Deque<Receipt> queue = new ArrayDeque<>();
  private int running;

  Receipts(Supplier<List<SMPPServerSession>> receivers, ExecutorService workers) {
    this.receivers = receivers;
    this.workers = workers;
  }

  synchronized int size() {
    return queue.size();
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
    int wanted = Math.min(queue.size(), Math.max(1, receivers.get().size()) * 4);
    while (running < wanted) {
      running += 1;
      workers.execute(this::work);
    }
  }

  private void work() {
    for (Receipt receipt = next(); receipt != null; receipt = next()) {
      if (deliver(receipt)) continue;
      synchronized (this) {
        queue.addFirst(receipt);
        running -= 1;
      }
      return;
    }
  }

  private synchronized Receipt next() {
    Receipt receipt = receivers.get().isEmpty() ? null : queue.pollFirst();
    if (receipt == null) running -= 1;
    return receipt;
  }

  private boolean deliver(Receipt receipt) {
    for (SMPPServerSession each : receivers.get()) {
      try {
        each.setTransactionTimer(10_000);
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
