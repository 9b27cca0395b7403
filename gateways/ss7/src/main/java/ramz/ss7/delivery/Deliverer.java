// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.mobicents.protocols.ss7.map.api.service.sms.SMDeliveryOutcome;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.network.Answer;
import ramz.ss7.network.Answer.Accepted;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.network.Exchanges;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Parts;
import ramz.ss7.sms.Submission;

/**
 * The way of one message: the HLR is asked where the phone is, the switching centre there is handed the message, and what the handset or the
 * network said is told. Nothing that may have arrived is ever sent again.
 */
public final class Deliverer {
  private final Exchanges exchanges;
  private final Parts parts;
  private final Settings.MapSettings limits;
  private final Clock clock;
  private final ScheduledExecutorService timers;
  private final RoutingCache places;
  private final Waiting waiting;
  private final BiConsumer<Submission, Outcome> told;
  private final AtomicInteger underWay = new AtomicInteger();

  /** @param told hears what becomes of each message; twice and more where a phone comes back */
  public Deliverer(
      Exchanges exchanges,
      Parts parts,
      Settings settings,
      Clock clock,
      ScheduledExecutorService timers,
      BiConsumer<Submission, Outcome> told) {
    this.exchanges = exchanges;
    this.parts = parts;
    this.clock = clock;
    this.timers = timers;
    this.told = told;
    limits = settings.map();
    places = new RoutingCache(clock, limits.routingCacheSeconds());
    waiting = new Waiting(clock);
    exchanges.onAlert(this::phoneIsBack);
    timers.scheduleWithFixedDelay(waiting::dropExpired, 1, 1, TimeUnit.MINUTES);
  }

  public int underWay() {
    return underWay.get();
  }

  public int waiting() {
    return waiting.size();
  }

  /**
   * Takes a message.
   *
   * @return false where too many are under way, or the network is congested
   * @throws Parts.Unsendable where it is none that can be sent
   */
  public boolean take(Submission submission) throws Parts.Unsendable {
    List<SmsTpdu> units = parts.of(submission);
    if (exchanges.isCongested()) return false;
    if (underWay.incrementAndGet() > limits.maxDialogues()) {
      underWay.decrementAndGet();
      return false;
    }
    timers.execute(() -> attempt(submission, units, 0));
    return true;
  }

  private void attempt(Submission submission, List<SmsTpdu> units, int retriesBefore) {
    place(submission)
        .thenCompose(answer -> answer instanceof Routed place ? forward(place, units, 0) : CompletableFuture.completedFuture(Outcome.of(answer, false)))
        .exceptionally(error -> Outcome.of(new Answer.Failed(Answer.Why.ABORTED, String.valueOf(error)), true))
        .thenAcceptAsync(outcome -> settle(submission, units, retriesBefore, outcome), timers);
  }

  private CompletableFuture<Answer> place(Submission submission) {
    Routed known = places.find(submission.to());
    if (known != null) return CompletableFuture.completedFuture(known);
    return exchanges.routingInfo(submission.to(), submission.isUrgent()).thenApply(answer -> {
      if (answer instanceof Routed place) places.keep(submission.to(), place);
      return answer;
    });
  }

  /** One part after the other: a phone that refuses the first is spared the others. */
  private CompletableFuture<Outcome> forward(Routed place, List<SmsTpdu> units, int at) {
    boolean isLast = at + 1 == units.size();
    return exchanges.forward(place, units.get(at), !isLast).thenCompose(answer -> {
      if (answer instanceof Accepted && !isLast) return forward(place, units, at + 1);
      // Parts that arrived before are not sent again, so neither is the message.
      Outcome outcome = Outcome.of(answer, true);
      boolean isBegun = at > 0 && outcome.what() != Next.OVER;
      return CompletableFuture.completedFuture(isBegun ? outcome.asLast() : outcome);
    });
  }

  private void settle(Submission submission, List<SmsTpdu> units, int retriesBefore, Outcome outcome) {
    if (outcome != Outcome.delivered) places.forget(submission.to());
    if (outcome.what() == Next.TRY_AGAIN && retriesBefore < limits.retries()) {
      timers.schedule(() -> attempt(submission, units, retriesBefore + 1), limits.retrySeconds(), TimeUnit.SECONDS);
      return;
    }
    try {
      if (outcome.what() == Next.WAIT_FOR_ALERT) {
        waiting.add(submission);
        report(submission, outcome);
      }
      told.accept(submission, outcome);
    } finally {
      // Last: the end of the process waits for it, and for the receipts that are queued by then.
      underWay.decrementAndGet();
    }
  }

  /** What the HLR answers changes nothing: where it does not know us, no alert comes. */
  private void report(Submission submission, Outcome outcome) {
    boolean isFull = outcome.name().equals("memoryCapacityExceeded");
    if (isFull) exchanges.report(submission.to(), SMDeliveryOutcome.memoryCapacityExceeded, null);
    else exchanges.report(submission.to(), SMDeliveryOutcome.absentSubscriber, outcome.detail());
  }

  private void phoneIsBack(String number) {
    for (Submission each : waiting.take(number)) {
      told.accept(each, Outcome.alerted);
      again(each);
    }
  }

  /** No second alert comes for it: while there is no room for it, it is tried until its validity ends. */
  private void again(Submission submission) {
    if (!submission.until().isAfter(clock.instant())) return;
    try {
      if (!take(submission)) timers.schedule(() -> again(submission), limits.retrySeconds(), TimeUnit.SECONDS);
    } catch (Parts.Unsendable error) {
      throw new IllegalStateException(error);
    }
  }
}
