// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.AlertNotification;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.DeliverSm;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.BindParameter;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.MessageReceiverListener;
import org.jsmpp.session.SMPPSession;
import org.jsmpp.session.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Submission;

/** The server before clients that bind over TCP. Pauses of receipts end by a clock that stands still. */
final class SmppServerTest {
  private static final Settings.Smpp settings = new Settings.Smpp("127.0.0.1", 0, "ramz", "secret", 64, 30);

  private final SmppServer server = new SmppServer(settings, Clock.systemUTC(), () -> 0, () -> true, reason -> {});
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private final List<SMPPSession> sessions = new ArrayList<>();
  private volatile boolean refuses = true;

  private final MessageReceiverListener listener =
      new MessageReceiverListener() {
        @Override
        public void onAcceptDeliverSm(DeliverSm receipt) throws ProcessRequestException {
          // Looked at first: the test sets it as soon as it has received something.
          boolean isRefused = refuses;
          received.add(receipt.getSourceAddr());
          if (isRefused) throw new ProcessRequestException("not now", SMPPConstant.STAT_ESME_RX_T_APPN);
        }

        @Override
        public void onAcceptAlertNotification(AlertNotification notification) {}

        @Override
        public DataSmResult onAcceptDataSm(DataSm message, Session session) throws ProcessRequestException {
          throw new ProcessRequestException("none is sent", SMPPConstant.STAT_ESME_RINVCMDID);
        }
      };

  @BeforeEach
  void listen() throws Exception {
    server.listen(null);
  }

  @AfterEach
  void stop() throws Exception {
    sessions.forEach(SMPPSession::unbindAndClose);
    server.stop();
  }

  private void bind() throws Exception {
    var session = new SMPPSession();
    sessions.add(session);
    session.setMessageReceiverListener(listener);
    var as = new BindParameter(
        BindType.BIND_TRX, "ramz", "secret", null, TypeOfNumber.UNKNOWN, NumberingPlanIndicator.UNKNOWN, null);
    session.connectAndBind("127.0.0.1", server.port(), as);
  }

  /** Reports an outcome, whose receipt the client refuses. */
  private void refuse(String number) throws Exception {
    var now = Instant.now();
    var submission = new Submission("1", "Ramz", true, number, 0, false, new byte[0], false, now, now, true);
    server.report(submission, new Outcome("DELIVRD", "000", "delivered", Next.OVER, null));
    assertEquals(number, received.poll(60, TimeUnit.SECONDS));
    refuses = false;
  }

  private interface Step {
    void run() throws Exception;
  }

  /** More than once: the first may come before the refusal. */
  private String receivedAfter(Step step) throws Exception {
    var end = Instant.now().plusSeconds(60);
    String found = null;
    while (found == null && Instant.now().isBefore(end)) {
      step.run();
      found = received.poll(1, TimeUnit.SECONDS);
    }
    return found;
  }

  @Test
  void theStopEndsWhenEveryClientIsUnbound() throws Exception {
    bind();
    bind();
    assertEquals(2, server.binds());
    server.stop();
    assertEquals(0, server.binds());
  }

  @Test
  void aReceiptInAPauseGoesOutOverANewBind() throws Exception {
    bind();
    refuse("213551234500");
    assertEquals("213551234500", receivedAfter(this::bind));
  }

  @Test
  void aReceiptInAPauseGoesOutOnceMoreWhenTheGatewayStops() throws Exception {
    bind();
    refuse("213551234501");
    assertEquals("213551234501", receivedAfter(server::refuseNew));
  }
}
