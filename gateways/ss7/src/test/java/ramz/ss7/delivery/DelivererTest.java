// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mobicents.protocols.ss7.map.api.service.sms.SMDeliveryOutcome;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import org.mobicents.protocols.ss7.map.MAPSmsTpduParameterFactoryImpl;
import ramz.ss7.network.Answer;
import ramz.ss7.network.Answer.Accepted;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.MapError;
import ramz.ss7.network.Answer.Routed;
import ramz.ss7.network.Answer.Why;
import ramz.ss7.network.MapErrors;
import ramz.ss7.network.MobileNetwork;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Parts;
import ramz.ss7.sms.Submission;

/** Messages, tries and the end of their validity, by a clock that stands still until it is set. */
final class DelivererTest {
  private static final String number = "213551234500";

  private Instant now = Instant.parse("2026-06-15T12:00:00Z");
  private final List<String> happened = new ArrayList<>();
  /** The answer to the next MT-ForwardSM, and to all after it. */
  private Answer answer = new Accepted();
  private boolean isCongested;
  private Runnable whileHlrIsAsked = () -> {};
  private Runnable whileHlrIsReportedTo = () -> {};
  private Runnable whileOutcomeIsHeard = () -> {};
  private Consumer<String> alert;
  private Deliverer deliverer;

  private record Timer(Instant at, Runnable task) {}

  private final List<Timer> timers = new ArrayList<>();
  private final List<Runnable> everySecond = new ArrayList<>();

  private final Clock clock =
      new Clock() {
        @Override
        public Instant instant() {
          return now;
        }

        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }
      };

  private final MobileNetwork network =
      new MobileNetwork() {
        @Override
        public CompletableFuture<Answer> routingInfo(String to, boolean isUrgent) {
          whileHlrIsAsked.run();
          return CompletableFuture.completedFuture(new Routed("603010000000001", "213600000001", false));
        }

        @Override
        public CompletableFuture<Answer> forward(Routed to, SmsTpdu part, boolean moreFollow) {
          happened.add("forward");
          return CompletableFuture.completedFuture(answer);
        }

        @Override
        public CompletableFuture<Answer> report(String to, SMDeliveryOutcome outcome, Integer diagnostic) {
          happened.add("report");
          whileHlrIsReportedTo.run();
          return CompletableFuture.completedFuture(new Accepted());
        }

        @Override
        public void onAlert(Consumer<String> listener) {
          alert = listener;
        }

        @Override
        public boolean isCongested() {
          return isCongested;
        }
      };

  @BeforeEach
  void start() {
    start(0);
  }

  private void start(int routingCacheSeconds) {
    var settings = new Settings(
        null, null, null, null, new Settings.MapSettings("213550000002", 1, 8, 30, routingCacheSeconds, 2, 2));
    var executor = (ScheduledExecutorService) Proxy.newProxyInstance(
        getClass().getClassLoader(), new Class<?>[] {ScheduledExecutorService.class}, (self, method, arguments) -> {
          var task = (Runnable) arguments[0];
          switch (method.getName()) {
            case "execute" -> task.run();
            case "schedule" -> timers.add(new Timer(now.plus((long) arguments[1], ((TimeUnit) arguments[2]).toChronoUnit()), task));
            default -> everySecond.add(task);
          }
          return null;
        });
    var parts = new Parts(new MAPSmsTpduParameterFactoryImpl());
    deliverer = new Deliverer(network, parts, settings, clock, executor, (of, outcome) -> {
      happened.add(outcome.state() + " " + outcome.error());
      whileOutcomeIsHeard.run();
    });
  }

  private void submit(int validSeconds) throws Exception {
    var end = now.plusSeconds(validSeconds);
    deliverer.take(new Submission("1", "Ramz", true, number, 0, false, "Your code is 1".getBytes(), false, now, end, true));
  }

  /** Lets time pass, and does what is due. */
  private void pass(int seconds) {
    var end = now.plusSeconds(seconds);
    while (now.isBefore(end)) {
      now = now.plus(Duration.ofMillis(10));
      for (Timer each : List.copyOf(timers)) {
        if (each.at.isAfter(now)) continue;
        timers.remove(each);
        each.task.run();
      }
      everySecond.forEach(Runnable::run);
    }
  }

  private void expect(String... events) {
    assertEquals(List.of(events), happened);
    happened.clear();
  }

  @Test
  void whatTheNetworkDoesNotTakeIsTriedThreeTimes() throws Exception {
    answer = new MapError(MapErrors.systemFailure, null);
    submit(600);
    pass(60);
    expect("forward", "forward", "forward", "UNDELIV 034");
    assertEquals(0, deliverer.underWay());
  }

  @Test
  void noTryIsMadeAfterTheEndOfTheValidity() throws Exception {
    answer = new MapError(MapErrors.systemFailure, null);
    submit(3);
    pass(2);
    expect("forward", "forward");
    pass(1);
    expect();
    pass(1);
    expect("EXPIRED 034");
    pass(60);
    expect();
    assertEquals(0, deliverer.underWay());
  }

  @Test
  void whatWasNotSentIsTriedAgainAndWhatWasIsNot() throws Exception {
    answer = new Failed(Why.TIMEOUT, false, "");
    submit(600);
    answer = new Failed(Why.TIMEOUT, true, "");
    pass(60);
    expect("forward", "forward", "UNKNOWN 900");
  }

  @Test
  void aPhoneThatIsBackGetsItsMessage() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(600);
    expect("forward", "UNDELIV 060", "report");
    pass(599);
    answer = new Accepted();
    alert.accept(number);
    expect("ENROUTE 910", "forward", "DELIVRD 000");
    pass(60);
    expect();
  }

  @Test
  void aPhoneThatIsBackAfterTheEndOfTheValidityGetsNothing() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(5);
    expect("forward", "UNDELIV 060", "report");
    pass(5);
    expect("EXPIRED 060");
    assertEquals(0, deliverer.waiting());
    alert.accept(number);
    pass(60);
    expect();
  }

  @Test
  void aMessageThatWaitsForRoomEndsWithItsValidity() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(5);
    isCongested = true;
    alert.accept(number);
    pass(60);
    expect("forward", "UNDELIV 060", "report", "ENROUTE 910", "EXPIRED 060");
  }

  @Test
  void noPhoneIsWaitedForAfterTheEndOfTheValidity() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(600);
    pass(599);
    expect("forward", "UNDELIV 060", "report");
    alert.accept(number);
    expect("ENROUTE 910", "forward", "UNDELIV 060", "report");
    pass(2);
    expect("EXPIRED 060");
  }

  @Test
  void nothingIsHandedOverWhereTheHlrTookTooLong() throws Exception {
    whileHlrIsAsked = () -> now = now.plusSeconds(6);
    submit(5);
    expect("EXPIRED 904");
    whileHlrIsAsked = () -> {};
    submit(0);
    expect("EXPIRED 904");
    assertEquals(0, deliverer.underWay());
  }

  @Test
  void wherePhonesAreIsForgottenInTimeThoughNobodyAsksAgain() throws Exception {
    start(5);
    submit(600);
    assertEquals(1, deliverer.knownPlaces());
    pass(4);
    assertEquals(1, deliverer.knownPlaces());
    pass(1);
    assertEquals(0, deliverer.knownPlaces());
  }

  @Test
  void anAlertThatComesAtOnceIsReportedBehindWhatItFollows() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    whileHlrIsReportedTo = () -> {
      answer = new Accepted();
      alert.accept(number);
    };
    submit(600);
    expect("forward", "UNDELIV 060", "report", "ENROUTE 910");
    pass(2);
    expect("forward", "DELIVRD 000");
  }

  @Test
  void theNumberOfAnExpiredMessageIsThatOfItsLastTry() throws Exception {
    answer = new MapError(MapErrors.systemFailure, null);
    submit(5);
    whileHlrIsAsked = () -> now = now.plusSeconds(6);
    pass(2);
    expect("forward", "EXPIRED 034");
    whileHlrIsAsked = () -> {};
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(5);
    whileHlrIsAsked = () -> now = now.plusSeconds(6);
    alert.accept(number);
    expect("forward", "UNDELIV 060", "report", "ENROUTE 910", "EXPIRED 060");
  }

  @Test
  void anOutcomeThatCanNotBeReportedHoldsUpNoOther() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(5);
    submit(5);
    submit(10);
    happened.clear();
    whileOutcomeIsHeard = () -> {
      throw new IllegalStateException("as a test wants it");
    };
    pass(10);
    expect("EXPIRED 060", "EXPIRED 060", "EXPIRED 060");
  }

  @Test
  void theStopEndsPausesWithTheOutcomeOfTheLastTry() throws Exception {
    answer = new MapError(MapErrors.systemFailure, null);
    submit(600);
    expect("forward");
    deliverer.stop();
    expect("UNDELIV 034");
    assertEquals(0, deliverer.underWay());
    pass(60);
    expect();
  }

  @Test
  void theStopEndsTheWaitForRoomAfterAnAlert() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(600);
    isCongested = true;
    alert.accept(number);
    deliverer.stop();
    expect("forward", "UNDELIV 060", "report", "ENROUTE 910", "UNDELIV 060");
    isCongested = false;
    pass(60);
    expect();
  }

  @Test
  void aTryThatEndsAfterTheStopIsTheLast() throws Exception {
    whileHlrIsAsked = deliverer::stop;
    answer = new MapError(MapErrors.systemFailure, null);
    submit(600);
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(600);
    expect("forward", "UNDELIV 034", "forward", "UNDELIV 060");
    assertEquals(0, deliverer.waiting());
    pass(60);
    expect();
  }

  @Test
  void anAlertAfterTheStopBeginsNothing() throws Exception {
    answer = new MapError(MapErrors.absentSubscriberSm, 0);
    submit(600);
    deliverer.stop();
    alert.accept(number);
    expect("forward", "UNDELIV 060", "report");
  }
}
