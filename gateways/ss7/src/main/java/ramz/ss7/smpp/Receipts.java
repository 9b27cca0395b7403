// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jsmpp.GenericNackResponseException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receipts on their way to the client, a few at once for each bind that takes them. Without such a bind they wait, the newest {@value #most} of them.
 *
 * <p>One that is refused for now, or not answered over any bind, goes out again after a pause that grows, for a day. One that is refused for good is
 * dropped.
 */
final class Receipts {
  static final int most = 100_000;
  private static final int atOncePerBind = 4;
  private static final long firstPauseMs = 1_000;
  private static final long longestPauseMs = 60_000;
  private static final Duration longest = Duration.ofDays(1);
  private static final Logger log = LoggerFactory.getLogger(Receipts.class);

  /** A bind that takes receipts. */
  interface Receiver {
    /** Sends deliver_sm and waits for its answer. False: it ends, and nothing was sent. */
    boolean deliver(Receipt receipt) throws Exception;
  }

  private enum Result {
    TAKEN,
    AGAIN_LATER,
    NEVER
  }

  /** @param failures how often it was sent in vain */
  private record Entry(Receipt receipt, int failures) {}

  private final Supplier<? extends List<? extends Receiver>> receivers;
  private final ExecutorService workers;
  private final Clock clock;
  private final Consumer<String> onDropped;
  private final Deque<Entry> queue = new ArrayDeque<>();
  private int running;
  /** Sent and not answered yet, or in a pause. */
  private int outstanding;

  /** @param onDropped hears why a receipt will never be acknowledged: {@code refused}, {@code too_old}, {@code too_many} */
  Receipts(Supplier<? extends List<? extends Receiver>> receivers, ExecutorService workers, Clock clock, Consumer<String> onDropped) {
    this.receivers = receivers;
    this.workers = workers;
    this.clock = clock;
    this.onDropped = onDropped;
  }

  synchronized int size() {
    return queue.size() + outstanding;
  }

  void send(Receipt receipt) {
    add(new Entry(receipt, 0));
    wake();
  }

  /** A bind has come, or a receipt: as many are sent at once as there is room for. */
  synchronized void wake() {
    // Those that run may be waiting for an answer, of a bind that is gone too.
    int wanted = Math.min(running + queue.size(), Math.max(1, receivers.get().size()) * atOncePerBind);
    while (running < wanted) {
      running += 1;
      workers.execute(this::work);
    }
  }

  private synchronized void add(Entry entry) {
    if (queue.size() >= most) {
      queue.removeFirst();
      onDropped.accept("too_many");
    }
    queue.addLast(entry);
  }

  private void work() {
    for (Entry entry = next(); entry != null; entry = next()) {
      switch (deliver(entry.receipt)) {
        case TAKEN -> settled();
        case NEVER -> drop("refused");
        case AGAIN_LATER -> later(entry);
      }
    }
  }

  private synchronized Entry next() {
    Entry entry = receivers.get().isEmpty() ? null : queue.pollFirst();
    if (entry == null) running -= 1;
    else outstanding += 1;
    return entry;
  }

  private synchronized void settled() {
    outstanding -= 1;
  }

  private void drop(String reason) {
    settled();
    onDropped.accept(reason);
  }

  /** It waits by itself: those behind it go out in the meantime. */
  private void later(Entry entry) {
    if (entry.receipt.at().plus(longest).isBefore(clock.instant())) {
      drop("too_old");
      return;
    }
    long pauseMs = Math.min(firstPauseMs << Math.min(entry.failures, 6), longestPauseMs);
    if (workers.isShutdown()) return;
    CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS, workers).execute(() -> {
      synchronized (this) {
        settled();
        add(new Entry(entry.receipt, entry.failures + 1));
      }
      wake();
    });
  }

  private Result deliver(Receipt receipt) {
    for (Receiver each : receivers.get()) {
      try {
        if (each.deliver(receipt)) return Result.TAKEN;
      } catch (NegativeResponseException refused) {
        return refused(receipt, refused.getCommandStatus());
      } catch (GenericNackResponseException refused) {
        return refused(receipt, refused.getCommandStatus());
      } catch (Exception error) {
        log.warn("receipt of {} not acknowledged: {}", receipt.of().id(), error.getMessage());
      }
    }
    return Result.AGAIN_LATER;
  }

  /** What a client says over one bind it would say over the others, too. Statuses: SMPP v3.4 5.1.3. */
  private static Result refused(Receipt receipt, int status) {
    log.warn("receipt of {} refused: command_status 0x{}", receipt.of().id(), Integer.toHexString(status));
    return switch (status) {
      case SMPPConstant.STAT_ESME_RX_P_APPN, SMPPConstant.STAT_ESME_RX_R_APPN, SMPPConstant.STAT_ESME_RINVCMDID -> Result.NEVER;
      default -> Result.AGAIN_LATER;
    };
  }
}
