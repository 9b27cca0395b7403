// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.InterfaceVersion;
import org.jsmpp.session.BindRequest;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.SMPPServerSessionListener;
import org.jsmpp.session.connection.Connection;
import org.jsmpp.session.connection.ServerConnection;
import org.jsmpp.session.connection.ServerConnectionFactory;
import org.jsmpp.session.connection.socket.ServerSocketConnection;
import org.jsmpp.session.connection.socket.SocketConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ramz.ss7.delivery.Deliverer;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Submission;

/**
 * The SMPP v3.4 server. Binds are there only while the network is: a client that is unbound sees at once that this operator is down, and
 * need not wait for a code that can not leave.
 */
public final class Front {
  private static final Logger log = LoggerFactory.getLogger(Front.class);
  private static final int bindTimeoutMs = 5_000;
  /** For the answer to a receipt. */
  private static final int answerTimeoutMs = 10_000;
  /** PDUs of a bind that wait for a thread. The library's 100 refused messages of a client with a window of 100, whose receipts it answers too. */
  private static final int mostUnread = 1_000;

  private final Settings.Smpp settings;
  private final Clock clock;
  private final BooleanSupplier isNetworkUp;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<SMPPServerSession> sessions = ConcurrentHashMap.newKeySet();
  private final Set<SMPPServerSession> receiving = ConcurrentHashMap.newKeySet();
  private final Receipts receipts = new Receipts(() -> List.copyOf(receiving), threads);
  private final AtomicBoolean isStopping = new AtomicBoolean();
  private SMPPServerSessionListener listener;
  private int port;

  public Front(Settings.Smpp settings, Clock clock, BooleanSupplier isNetworkUp) {
    this.settings = settings;
    this.clock = clock;
    this.isNetworkUp = isNetworkUp;
  }

  public void listen(Deliverer deliverer) throws IOException {
    listener = new SMPPServerSessionListener(settings.port(), new BoundToHost());
    listener.setMessageReceiverListener(new Intake(deliverer, clock, isStopping::get));
    listener.setSessionStateListener((state, before, session) -> {
      if (!state.isBound() && before.isBound()) drop((SMPPServerSession) session);
    });
    threads.execute(this::accept);
  }

  /** The port it listens on. */
  public int port() {
    return port;
  }

  public int binds() {
    return sessions.size();
  }

  public int receiptsWaiting() {
    return receipts.size();
  }

  public void tell(Submission submission, Outcome outcome) {
    if (submission.wantsReceipt()) receipts.send(new Receipt(submission, outcome, clock.instant()));
  }

  /** The network is away: every client is unbound. */
  public void unbindAll() {
    for (SMPPServerSession each : List.copyOf(sessions)) threads.execute(each::unbindAndClose);
  }

  /** No message is taken from here on. */
  public void refuseNew() {
    isStopping.set(true);
  }

  public void stop() throws IOException {
    unbindAll();
    listener.close();
    threads.shutdown();
  }

  private void accept() {
    while (!threads.isShutdown()) {
      try {
        SMPPServerSession session = listener.accept();
        threads.execute(() -> bind(session));
      } catch (IOException error) {
        if (threads.isShutdown() || isStopping.get()) return;
        log.warn("connection not accepted: {}", error.getMessage());
      }
    }
  }

  private void bind(SMPPServerSession session) {
    try {
      session.setEnquireLinkTimer(settings.enquireLinkSeconds() * 1000);
      session.setTransactionTimer(answerTimeoutMs);
      session.setQueueCapacity(mostUnread);
      BindRequest request = session.waitForBind(bindTimeoutMs);
      int refusal = refusalOf(request);
      if (refusal != SMPPConstant.STAT_ESME_ROK) {
        request.reject(refusal);
        session.close();
        return;
      }
      sessions.add(session);
      request.accept(settings.systemId(), InterfaceVersion.IF_34);
      if (request.getBindType().isReceivable()) receiving.add(session);
      receipts.wake();
      log.info("bound: {}", request.getBindType());
      // The network may have gone since the bind was looked at: it was not among those that were unbound then.
      if (!isNetworkUp.getAsBoolean()) session.unbindAndClose();
    } catch (Exception error) {
      drop(session);
      session.close();
    }
  }

  private int refusalOf(BindRequest request) {
    if (!request.getSystemId().equals(settings.systemId())) return SMPPConstant.STAT_ESME_RINVSYSID;
    boolean isRight = MessageDigest.isEqual(request.getPassword().getBytes(), settings.password().getBytes());
    if (!isRight) return SMPPConstant.STAT_ESME_RINVPASWD;
    if (sessions.size() >= settings.maxBinds()) return SMPPConstant.STAT_ESME_RALYBND;
    return isNetworkUp.getAsBoolean() ? SMPPConstant.STAT_ESME_ROK : SMPPConstant.STAT_ESME_RSYSERR;
  }

  private void drop(SMPPServerSession session) {
    receiving.remove(session);
    sessions.remove(session);
  }

  /** Listens on the address of the settings alone. */
  private final class BoundToHost implements ServerConnectionFactory {
    @Override
    public ServerConnection listen(int wanted) throws IOException {
      return listen(wanted, 0, 100);
    }

    @Override
    public ServerConnection listen(int wanted, int timeout) throws IOException {
      return listen(wanted, timeout, 100);
    }

    @Override
    public ServerConnection listen(int wanted, int timeout, int backlog) throws IOException {
      var socket = new ServerSocket(wanted, backlog, InetAddress.getByName(settings.host()));
      socket.setSoTimeout(timeout);
      port = socket.getLocalPort();
      return new ServerSocketConnection(socket) {
        @Override
        public Connection accept() throws IOException {
          Socket accepted = socket.accept();
          // Answers and receipts are small: none waits for the acknowledgement of the one before.
          accepted.setTcpNoDelay(true);
          return new SocketConnection(accepted);
        }
      };
    }
  }
}
