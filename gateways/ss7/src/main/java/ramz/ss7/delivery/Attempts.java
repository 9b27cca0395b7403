// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.network.Answer;
import ramz.ss7.network.Answer.Accepted;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.network.Answer.Why;
import ramz.ss7.network.MobileNetwork;
import ramz.ss7.sms.Submission;

/** One try of a message: the HLR is asked where the phone is, and the switching centre there is handed the parts. */
final class Attempts {
  private final MobileNetwork network;
  private final Clock clock;
  private final RoutingCache places;

  Attempts(MobileNetwork network, Clock clock, int routingCacheSeconds) {
    this.network = network;
    this.clock = clock;
    places = new RoutingCache(clock, routingCacheSeconds);
  }

  /** @param last outcome of the try before, or that of a message that was never tried */
  CompletableFuture<Outcome> attempt(Submission submission, List<SmsTpdu> units, Outcome last) {
    return place(submission)
        .thenCompose(answer -> answer instanceof Routed place ? handOver(submission, place, units, last) : outcome(Outcome.of(answer, false)))
        // A fault of our own: nobody knows how far it came.
        .exceptionally(error -> Outcome.of(new Failed(Why.ABORTED, true, String.valueOf(error)), true))
        .thenApply(outcome -> {
          if (outcome != Outcome.delivered) places.forget(submission.to());
          return outcome;
        });
  }

  void forgetExpiredPlaces() {
    places.forgetExpired();
  }

  int knownPlaces() {
    return places.size();
  }

  private CompletableFuture<Answer> place(Submission submission) {
    Routed known = places.find(submission.to());
    if (known != null) return CompletableFuture.completedFuture(known);
    return network.routingInfo(submission.to(), submission.isUrgent()).thenApply(answer -> {
      if (answer instanceof Routed place) places.keep(submission.to(), place);
      return answer;
    });
  }

  private CompletableFuture<Outcome> handOver(Submission submission, Routed place, List<SmsTpdu> units, Outcome last) {
    // The HLR may have taken its time.
    if (!submission.isValidAt(clock.instant())) return outcome(last.asExpired());
    return forward(place, units, 0);
  }

  /** One part after the other: a phone that refuses the first is spared the others. */
  private CompletableFuture<Outcome> forward(Routed place, List<SmsTpdu> units, int at) {
    boolean isLast = at + 1 == units.size();
    return network.forward(place, units.get(at), !isLast).thenCompose(answer -> {
      if (answer instanceof Accepted && !isLast) return forward(place, units, at + 1);
      // Parts that arrived before are not sent again, so neither is the message.
      Outcome outcome = Outcome.of(answer, true);
      boolean isBegun = at > 0 && outcome.next() != Next.OVER;
      return outcome(isBegun ? outcome.asLast() : outcome);
    });
  }

  private static CompletableFuture<Outcome> outcome(Outcome outcome) {
    return CompletableFuture.completedFuture(outcome);
  }
}
