// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.mobicents.protocols.api.Management;
import org.mobicents.protocols.ss7.m3ua.impl.M3UAManagementImpl;
import org.mobicents.protocols.ss7.map.MAPStackImpl;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.sccp.SccpListener;
import org.mobicents.protocols.ss7.sccp.impl.SccpStackImpl;
import org.mobicents.protocols.ss7.tcap.TCAPStackImpl;
import ramz.ss7.settings.Settings;

/** The layers of SS7 under MAP, wired as the settings say: SCTP or TCP, M3UA, SCCP, TCAP. */
public final class Stack {
  private static final int userPart = 1;
  private static final int connectDelayMs = 2_000;
  /** The stack's own timeout for requests that name none, which a dialogue has to outlive, too. */
  private static final long usualTimeoutMs = 30_000;

  private final Settings settings;
  private final Path directory;
  private final Management transport;
  private final M3UAManagementImpl m3ua;
  private final SccpStackImpl sccp;
  private final MAPStackImpl map;
  private final Associations associations;
  private final Peers peers;
  private volatile Runnable onTcapFault = () -> {};

  /** Connects nothing yet. The libraries keep files of their own, in a directory that is made for this run. */
  public Stack(Settings settings) throws Exception {
    this(settings, settings.sccp().globalTitle(), settings.sccp().ssn());
  }

  /** @param endsHere pattern of the global titles that are this node's own; {@code subsystem} 0 = as addressed */
  public Stack(Settings settings, String endsHere, int subsystem) throws Exception {
    this.settings = settings;
    directory = Files.createTempDirectory("ramz-ss7-");
    transport = new Transport("ramz");
    m3ua = new M3UAManagementImpl("ramz", "ramz");
    sccp = new SccpStackImpl("ramz");
    associations = new Associations(settings.m3ua(), transport, m3ua);
    startLayers(endsHere, subsystem);
    peers = new Peers(associations.peers(), settings.sccp().remoteSsns(), sccp);
    m3ua.addMtp3UserPartListener(peers);
    sccp.getSccpProvider().registerManagementEventListener(peers);
    map = new MAPStackImpl("ramz", sccp.getSccpProvider(), settings.sccp().ssn());
    startMap(subsystem);
  }

  public MAPProvider provider() {
    return map.getMAPProvider();
  }

  public Peers peers() {
    return peers;
  }

  /** Calls {@code listener} with the association and the fault of each message that is not handed to the stack. */
  public void onFault(BiConsumer<String, String> listener) {
    associations.onFault(listener);
  }

  /** Calls {@code listener} for each message whose lengths do not fit, which is not handed to TCAP. */
  public void onTcapFault(Runnable listener) {
    onTcapFault = listener;
  }

  /** Begins to connect. */
  public void connect() throws Exception {
    associations.connect();
  }

  /** Names of the associations over which traffic can go now. */
  public List<String> active() {
    return associations.active();
  }

  /** Connects associations again that are of no use as they are; to be called often. */
  public void revive() throws Exception {
    associations.revive();
  }

  /** Signs off at the peers (ASP Down), and waits some seconds for their word. */
  public void stop() throws Exception {
    map.stop();
    sccp.stop();
    m3ua.stop();
    transport.stop();
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
    }
  }

  private void startLayers(String endsHere, int subsystem) throws Exception {
    transport.setPersistDir(directory.toString());
    transport.start();
    transport.setConnectDelay(connectDelayMs);
    transport.removeAllResourses();
    m3ua.setPersistDir(directory.toString());
    m3ua.setTransportManagement(transport);
    m3ua.start();
    m3ua.removeAllResourses();
    sccp.setPersistDir(directory.toString());
    sccp.setMtp3UserPart(userPart, m3ua);
    sccp.start();
    sccp.removeAllResourses();
    associations.configure();
    new Routing(settings, sccp, userPart).configure(endsHere, subsystem);
  }

  private void startMap(int subsystem) throws Exception {
    var tcap = (TCAPStackImpl) map.getTCAPStack();
    tcap.setPersistDir(directory.toString());
    int ssn = settings.sccp().ssn();
    // Whoever takes messages as they are addressed is all of these nodes at once.
    List<Integer> others = subsystem == 0 ? settings.sccp().remoteSsns().stream().filter(each -> each != ssn).toList() : List.of();
    if (!others.isEmpty()) tcap.setExtraSsns(others);
    map.start();
    var intake = new TcapIntake((SccpListener) tcap.getProvider(), () -> onTcapFault.run());
    sccp.getSccpProvider().registerSccpListener(ssn, intake);
    for (int other : others) sccp.getSccpProvider().registerSccpListener(other, intake);
    var limits = settings.map();
    // Each request names its own timeout, and what came of it is known when that ends: the dialogue's only has to be later.
    long longest = Math.max(limits.routingTimeoutSeconds(), limits.forwardTimeoutSeconds()) * 1000L;
    tcap.setDialogIdleTimeout(longest + usualTimeoutMs);
    // More than messages, for reports to the HLR and alerts from it.
    tcap.setMaxDialogs(limits.maxDialogues() * 2 + 100);
  }
}
