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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jsmpp.SMPPConstant;
import org.jsmpp.session.BindRequest;
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
public final class SmppServer {
  private static final Logger log = LoggerFactory.getLogger(SmppServer.class);
  private static final int backlog = 100;
  private static final int unbindSeconds = 5;

  private final Settings.Smpp settings;
  private final Clock clock;
  private final BooleanSupplier isNetworkUp;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<Bind> binds = ConcurrentHashMap.newKeySet();
  private final Receipts receipts;
  private final AtomicBoolean isStopping = new AtomicBoolean();
  private Intake intake;
  private ServerSocket socket;

  /** @param onDropped hears why a receipt will never be acknowledged */
  public SmppServer(Settings.Smpp settings, Clock clock, BooleanSupplier isNetworkUp, Consumer<String> onDropped) {
    this(settings, clock, () -> System.nanoTime() / 1_000_000, isNetworkUp, onDropped);
  }

  /** @param pausesMs clock by which the pauses of receipts end */
  SmppServer(Settings.Smpp settings, Clock clock, LongSupplier pausesMs, BooleanSupplier isNetworkUp, Consumer<String> onDropped) {
    this.settings = settings;
    this.clock = clock;
    this.isNetworkUp = isNetworkUp;
    receipts = new Receipts(this::receivers, threads, pausesMs, onDropped);
  }

  public void listen(Deliverer deliverer) throws IOException {
    intake = new Intake(deliverer, clock, isStopping::get);
    socket = new ServerSocket(settings.port(), backlog, InetAddress.getByName(settings.host()));
    threads.execute(this::accept);
  }

  /** The port it listens on. */
  public int port() {
    return socket.getLocalPort();
  }

  public int binds() {
    return binds.size();
  }

  public int receiptsWaiting() {
    return receipts.size();
  }

  /** Reports what became of a message, where its sender asked for that. */
  public void report(Submission submission, Outcome outcome) {
    if (submission.wantsReceipt()) receipts.send(new Receipt(submission, outcome, clock.instant()));
  }

  /** The network is away: every client is unbound. */
  public void unbindAll() {
    for (Bind each : List.copyOf(binds)) threads.execute(each::unbind);
  }

  /** No message is taken from here on, and receipts in a pause go out: many would not before the end. */
  public void refuseNew() {
    isStopping.set(true);
    receipts.sendAll();
  }

  /** Returns when every client is unbound; one that does not answer is waited for no longer than {@value #unbindSeconds} seconds. */
  public void stop() throws IOException, InterruptedException {
    unbindAll();
    socket.close();
    threads.shutdown();
    threads.awaitTermination(unbindSeconds, TimeUnit.SECONDS);
  }

  private List<Bind> receivers() {
    return binds.stream().filter(Bind::takesReceipts).toList();
  }

  private void accept() {
    while (!threads.isShutdown()) {
      try {
        Socket accepted = socket.accept();
        threads.execute(() -> bind(accepted));
      } catch (IOException error) {
        if (threads.isShutdown() || isStopping.get()) return;
        log.warn("connection not accepted: {}", error.getMessage());
      }
    }
  }

  private void bind(Socket accepted) {
    Bind bind = null;
    try {
      bind = new Bind(accepted, settings.enquireLinkSeconds(), intake, binds::remove);
      BindRequest request = bind.request();
      int refusal = refusalOf(request);
      if (refusal != SMPPConstant.STAT_ESME_ROK) {
        request.reject(refusal);
        bind.close();
        return;
      }
      binds.add(bind);
      bind.accept(request, settings.systemId());
      if (bind.takesReceipts()) receipts.sendAll();
      log.info("bound: {}", request.getBindType());
      // The network may have gone since the bind was looked at: it was not among those that were unbound then.
      if (!isNetworkUp.getAsBoolean()) bind.unbind();
    } catch (Exception error) {
      if (bind != null) bind.close();
    }
  }

  private int refusalOf(BindRequest request) {
    if (!request.getSystemId().equals(settings.systemId())) return SMPPConstant.STAT_ESME_RINVSYSID;
    boolean isRight = MessageDigest.isEqual(request.getPassword().getBytes(), settings.password().getBytes());
    if (!isRight) return SMPPConstant.STAT_ESME_RINVPASWD;
    if (binds.size() >= settings.maxBinds()) return SMPPConstant.STAT_ESME_RALYBND;
    return isNetworkUp.getAsBoolean() ? SMPPConstant.STAT_ESME_ROK : SMPPConstant.STAT_ESME_RSYSERR;
  }
}
