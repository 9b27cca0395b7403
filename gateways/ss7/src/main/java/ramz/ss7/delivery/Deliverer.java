// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.mobicents.protocols.ss7.map.api.service.sms.SMDeliveryOutcome;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.network.MobileNetwork;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Parts;
import ramz.ss7.sms.Submission;

/**
 * The way of each message from submit_sm to its outcome: tries, the pauses between them, and the wait for a phone that is away. Nothing that may have
 * arrived is ever sent again, and nothing at all once the validity is over.
 */
public final class Deliverer {
  private static final Logger log = LoggerFactory.getLogger(Deliverer.class);

  private final MobileNetwork network;
  private final Attempts attempts;
  private final Parts parts;
  private final Settings.MapSettings limits;
  private final Clock clock;
  private final ScheduledExecutorService timers;
  private final Waiting waiting = new Waiting();
  private final BiConsumer<Submission, Outcome> onOutcome;
  private final AtomicInteger underWay = new AtomicInteger();
  /** What is done after its pause, or by the stop where that comes before. */
  private final Set<Runnable> paused = ConcurrentHashMap.newKeySet();
  private volatile boolean isStopping;

  /** @param last outcome of the try before, also of one before an alert; at the first what it is if there is none */
  private record Try(Submission submission, List<SmsTpdu> units, int retriesBefore, Outcome last) {
    Try after(Outcome outcome) {
      return new Try(submission, units, retriesBefore + 1, outcome);
    }
  }

  /** @param onOutcome hears what becomes of each message; twice and more where a phone is away */
  public Deliverer(
      MobileNetwork network,
      Parts parts,
      Settings settings,
      Clock clock,
      ScheduledExecutorService timers,
      BiConsumer<Submission, Outcome> onOutcome) {
    this.network = network;
    this.parts = parts;
    this.clock = clock;
    this.timers = timers;
    this.onOutcome = onOutcome;
    limits = settings.map();
    attempts = new Attempts(network, clock, limits.routingCacheSeconds());
    network.onAlert(this::phoneIsBack);
    timers.scheduleWithFixedDelay(this::endExpired, 1, 1, TimeUnit.SECONDS);
  }

  public int underWay() {
    return underWay.get();
  }

  public int waiting() {
    return waiting.size();
  }

  /** Of how many subscribers IMSI and switching centre are in memory. */
  int knownPlaces() {
    return attempts.knownPlaces();
  }

  /**
   * Takes a message.
   *
   * @return false where too many are under way, or the network is congested
   * @throws Parts.Unsendable where it is none that can be sent
   */
  public boolean take(Submission submission) throws Parts.Unsendable {
    return take(submission, Outcome.neverTried);
  }

  private boolean take(Submission submission, Outcome last) throws Parts.Unsendable {
    List<SmsTpdu> units = parts.of(submission);
    if (network.isCongested()) return false;
    if (underWay.incrementAndGet() > limits.maxDialogues()) {
      underWay.decrementAndGet();
      return false;
    }
    timers.execute(() -> attempt(new Try(submission, units, 0, last)));
    return true;
  }

  /** From here on no message is tried again: where its next try was waited for, or an alert, the outcome of the last one is its end. */
  public void stop() {
    isStopping = true;
    paused.forEach(this::endPause);
  }

  private void attempt(Try now) {
    if (isOver(now.submission)) settle(now.submission, now.last.asExpired());
    else attempts.attempt(now.submission, now.units, now.last).thenAcceptAsync(outcome -> judge(now, outcome), timers);
  }

  private void judge(Try now, Outcome outcome) {
    boolean isEnd = outcome.next() == Next.OVER;
    if (!isEnd && isOver(now.submission)) settle(now.submission, outcome.asExpired());
    else if (isStopping) settle(now.submission, outcome.asLast());
    else if (outcome.next() == Next.TRY_AGAIN && now.retriesBefore < limits.retries()) tryLater(now.after(outcome));
    else settle(now.submission, outcome);
  }

  /** After the pause, or at the end of the validity where that comes before. */
  private void tryLater(Try next) {
    long validMs = Duration.between(clock.instant(), next.submission.until()).toMillis() + 1;
    pause(() -> tryAgain(next), Math.min(limits.retrySeconds() * 1000L, validMs));
  }

  private void tryAgain(Try next) {
    if (isStopping) settle(next.submission, next.last.asLast());
    else attempt(next);
  }

  private void pause(Runnable then, long ms) {
    paused.add(then);
    timers.schedule(() -> endPause(then), ms, TimeUnit.MILLISECONDS);
    // The stop may not have seen it.
    if (isStopping) endPause(then);
  }

  private void endPause(Runnable then) {
    if (paused.remove(then)) then.run();
  }

  private void settle(Submission submission, Outcome outcome) {
    try {
      // First: an alert, which may come as soon as the message waits for it, has an outcome of its own.
      say(submission, outcome);
      if (outcome.next() == Next.WAIT_FOR_ALERT) {
        waiting.add(new Waiting.Entry(submission, outcome));
        report(submission, outcome);
      }
    } finally {
      // Last: the end of the process waits for it, and for the receipts that are queued by then.
      underWay.decrementAndGet();
    }
  }

  /** An error in it stops nothing: neither what follows for this message, nor the others. */
  private void say(Submission submission, Outcome outcome) {
    try {
      onOutcome.accept(submission, outcome);
    } catch (RuntimeException error) {
      log.error("outcome of {} not reported", submission.id(), error);
    }
  }

  /** What the HLR answers changes nothing: where it does not know us, no alert comes. */
  private void report(Submission submission, Outcome outcome) {
    boolean isFull = outcome.name().equals("memoryCapacityExceeded");
    if (isFull) network.report(submission.to(), SMDeliveryOutcome.memoryCapacityExceeded, null);
    else network.report(submission.to(), SMDeliveryOutcome.absentSubscriber, outcome.detail());
  }

  private void phoneIsBack(String number) {
    if (isStopping) return;
    for (Waiting.Entry each : waiting.take(number)) {
      if (!isOver(each.submission())) say(each.submission(), Outcome.alerted);
      again(each);
    }
  }

  /** No second alert comes for it: while there is no room for it, it is tried until its validity ends. */
  private void again(Waiting.Entry entry) {
    try {
      if (isOver(entry.submission())) say(entry.submission(), entry.outcome().asExpired());
      else if (isStopping) say(entry.submission(), entry.outcome().asLast());
      else if (!take(entry.submission(), entry.outcome())) pause(() -> again(entry), limits.retrySeconds() * 1000L);
    } catch (Parts.Unsendable error) {
      throw new IllegalStateException(error);
    }
  }

  private void endExpired() {
    attempts.forgetExpiredPlaces();
    for (Waiting.Entry each : waiting.takeExpired(clock.instant())) say(each.submission(), each.outcome().asExpired());
  }

  private boolean isOver(Submission submission) {
    return !submission.isValidAt(clock.instant());
  }
}
