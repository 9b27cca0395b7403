// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.mobicents.protocols.api.IpChannelType;
import org.mobicents.protocols.api.Management;
import org.mobicents.protocols.sctp.netty.NettySctpManagementImpl;
import org.mobicents.protocols.ss7.m3ua.ExchangeType;
import org.mobicents.protocols.ss7.m3ua.Functionality;
import org.mobicents.protocols.ss7.m3ua.IPSPType;
import org.mobicents.protocols.ss7.m3ua.State;
import org.mobicents.protocols.ss7.m3ua.impl.M3UAManagementImpl;
import org.mobicents.protocols.ss7.m3ua.impl.parameter.ParameterFactoryImpl;
import org.mobicents.protocols.ss7.m3ua.parameter.TrafficModeType;
import org.mobicents.protocols.ss7.map.MAPStackImpl;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.sccp.impl.SccpStackImpl;
import org.mobicents.protocols.ss7.tcap.TCAPStackImpl;
import ramz.ss7.settings.Settings;
import ramz.ss7.settings.Settings.Association;

/** The layers of SS7 under MAP, wired as the settings say: SCTP or TCP, M3UA, SCCP, TCAP. */
public final class Stack {
  private static final int userPart = 1;
  private static final int sccpServiceIndicator = 3;
  private static final int connectDelayMs = 2_000;

  private final Settings settings;
  private final Path directory;
  private final Management transport;
  private final M3UAManagementImpl m3ua;
  private final SccpStackImpl sccp;
  private final MAPStackImpl map;
  private final List<String> started = new ArrayList<>();
  private final Set<String> servers = new HashSet<>();

  /** Connects nothing yet. The libraries keep files of their own, in a directory that is made for this run. */
  public Stack(Settings settings) throws Exception {
    this(settings, settings.sccp().globalTitle(), settings.sccp().ssn());
  }

  /** @param endsHere pattern of the global titles that are this node's own; {@code subsystem} 0 = as addressed */
  public Stack(Settings settings, String endsHere, int subsystem) throws Exception {
    this.settings = settings;
    directory = Files.createTempDirectory("ramz-ss7-");
    transport = new NettySctpManagementImpl("ramz");
    m3ua = new M3UAManagementImpl("ramz", "ramz");
    sccp = new SccpStackImpl("ramz");
    startLayers(endsHere, subsystem);
    map = new MAPStackImpl("ramz", sccp.getSccpProvider(), settings.sccp().ssn());
    var tcap = (TCAPStackImpl) map.getTCAPStack();
    tcap.setPersistDir(directory.toString());
    if (settings.sccp().hlrSsn() != settings.sccp().ssn() && subsystem == 0) tcap.setExtraSsns(List.of(settings.sccp().hlrSsn()));
    map.start();
    var limits = settings.map();
    // A dialogue outlives its invocation, whose timeout is the one that tells what happened; more of them than messages, for reports.
    long longest = Math.max(limits.routingTimeoutSeconds(), limits.forwardTimeoutSeconds()) * 1000L;
    if (longest + 10_000 > tcap.getInvokeTimeout()) tcap.setDialogIdleTimeout(longest + 10_000);
    tcap.setInvokeTimeout(longest);
    tcap.setDialogIdleTimeout(longest + 10_000);
    tcap.setMaxDialogs(limits.maxDialogues() * 2 + 100);
  }

  public MAPProvider provider() {
    return map.getMAPProvider();
  }

  /** Begins to connect. */
  public void connect() throws Exception {
    for (Association each : settings.m3ua().associations()) {
      m3ua.startAsp(each.name());
      started.add(each.name());
    }
  }

  /** Names of the associations over which traffic can go now. */
  public List<String> active() {
    var names = new ArrayList<String>();
    for (var factory : m3ua.getAspfactories()) {
      if (!factory.getAssociation().isConnected()) continue;
      for (var asp : factory.getAspList()) if (asp.getState().getName().equals(State.STATE_ACTIVE)) names.add(factory.getName());
    }
    return names;
  }

  public void stop() throws Exception {
    for (String name : started) {
      try {
        m3ua.stopAsp(name);
      } catch (Exception gone) {
        // It was down already.
      }
    }
    map.stop();
    sccp.stop();
    m3ua.stop();
    transport.stop();
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
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
    addAssociations();
    new Routing(settings, sccp, userPart).configure(endsHere, subsystem);
  }

  /** One application server for each peer, with every association that leads to it. */
  private void addAssociations() throws Exception {
    var s = settings.m3ua();
    var parameters = new ParameterFactoryImpl();
    var context = s.routingContext() == null ? null : parameters.createRoutingContext(new long[] {s.routingContext()});
    var appearance = s.networkAppearance() == null ? null : parameters.createNetworkAppearance(s.networkAppearance());
    int mode = s.trafficMode().equals("override") ? TrafficModeType.Override : TrafficModeType.Loadshare;
    for (int peer : peers()) {
      String name = "peer-" + peer;
      m3ua.createAs(
          name, functionality(s), ExchangeType.SE, ipspType(s), context, parameters.createTrafficModeType(mode), 1, appearance);
      m3ua.addRoute(peer, s.pointCode(), sccpServiceIndicator, name);
      for (Association each : s.associations()) {
        if (each.pointCode() != peer) continue;
        addAssociation(s, each);
        m3ua.createAspFactory(each.name(), each.name());
        m3ua.assignAspToAs(name, each.name());
      }
    }
  }

  private void addAssociation(Settings.M3ua s, Association each) throws Exception {
    IpChannelType channel = s.transport().equals("tcp") ? IpChannelType.TCP : IpChannelType.SCTP;
    String[] more = each.moreLocalHosts().toArray(String[]::new);
    if (!s.role().equals("ipsp_server")) {
      transport.addAssociation(
          each.localHost(), each.localPort(), each.remoteHost(), each.remotePort(), each.name(), channel, more);
      return;
    }
    String server = "server-" + each.localHost() + "-" + each.localPort();
    if (servers.add(server)) {
      transport.addServer(server, each.localHost(), each.localPort(), channel, more);
      transport.startServer(server);
    }
    transport.addServerAssociation(each.remoteHost(), each.remotePort(), server, each.name(), channel);
  }

  private List<Integer> peers() {
    return settings.m3ua().associations().stream().map(Association::pointCode).distinct().toList();
  }

  private static Functionality functionality(Settings.M3ua s) {
    return s.role().equals("asp") ? Functionality.AS : Functionality.IPSP;
  }

  private static IPSPType ipspType(Settings.M3ua s) {
    return switch (s.role()) {
      case "ipsp_client" -> IPSPType.CLIENT;
      case "ipsp_server" -> IPSPType.SERVER;
      default -> null;
    };
  }
}
