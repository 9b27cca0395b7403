// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.mobicents.protocols.api.IpChannelType;
import org.mobicents.protocols.api.Management;
import org.mobicents.protocols.ss7.m3ua.ExchangeType;
import org.mobicents.protocols.ss7.m3ua.Functionality;
import org.mobicents.protocols.ss7.m3ua.IPSPType;
import org.mobicents.protocols.ss7.m3ua.State;
import org.mobicents.protocols.ss7.m3ua.impl.AspFactoryImpl;
import org.mobicents.protocols.ss7.m3ua.impl.M3UAManagementImpl;
import org.mobicents.protocols.ss7.m3ua.impl.parameter.ParameterFactoryImpl;
import org.mobicents.protocols.ss7.m3ua.parameter.TrafficModeType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ramz.ss7.settings.Settings;
import ramz.ss7.settings.Settings.Association;

/** The associations and, for each peer, the application server that they serve: RFC 4666 1.2 and 4.3. */
final class Associations {
  private static final Logger log = LoggerFactory.getLogger(Associations.class);
  private static final int sccpServiceIndicator = 3;
  /** A connected association that should carry traffic and does not is made again after so long. */
  private static final long patienceMs = 10_000;

  private final Settings.M3ua settings;
  private final Management transport;
  private final M3UAManagementImpl m3ua;
  private final Set<String> servers = new HashSet<>();
  /** Since when associations have been connected without carrying traffic. */
  private final Map<String, Long> idleSince = new HashMap<>();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();
  private volatile BiConsumer<String, String> onFault = (association, fault) -> {};

  Associations(Settings.M3ua settings, Management transport, M3UAManagementImpl m3ua) {
    this.settings = settings;
    this.transport = transport;
    this.m3ua = m3ua;
  }

  void onFault(BiConsumer<String, String> listener) {
    onFault = listener;
  }

  /** Point codes at the other ends. */
  List<Integer> peers() {
    return settings.associations().stream().map(Association::pointCode).distinct().toList();
  }

  /** One application server for each peer, with every association that leads to it. */
  void configure() throws Exception {
    var parameters = new ParameterFactoryImpl();
    Long contextOf = settings.routingContext();
    var context = contextOf == null ? null : parameters.createRoutingContext(new long[] {contextOf});
    var appearance = settings.networkAppearance() == null ? null : parameters.createNetworkAppearance(settings.networkAppearance());
    int mode = isOverride() ? TrafficModeType.Override : TrafficModeType.Loadshare;
    for (int peer : peers()) {
      String name = "peer-" + peer;
      m3ua.createAs(name, functionality(), ExchangeType.SE, ipspType(), context, parameters.createTrafficModeType(mode), 1, appearance);
      m3ua.addRoute(peer, settings.pointCode(), sccpServiceIndicator, name);
      for (Association each : settings.associations()) {
        if (each.pointCode() != peer) continue;
        add(each);
        var factory = (AspFactoryImpl) m3ua.createAspFactory(each.name(), each.name());
        factory.getAssociation().setAssociationListener(new Frames(factory, mode, new FrameWatcher()));
        m3ua.assignAspToAs(name, each.name());
      }
    }
  }

  void connect() throws Exception {
    for (Association each : settings.associations()) m3ua.startAsp(each.name());
  }

  /** Names of those over which traffic can go now. */
  List<String> active() {
    var names = new ArrayList<String>();
    for (var factory : m3ua.getAspfactories()) {
      if (!factory.getAssociation().isConnected()) continue;
      for (var asp : factory.getAspList()) if (isActive(asp.getState()) && isActive(asp.getAs().getState())) names.add(factory.getName());
    }
    return names;
  }

  private static boolean isActive(State state) {
    return state.getName().equals(State.STATE_ACTIVE);
  }

  /**
   * Connects those again that are connected and of no use: the stream has lost its place, the peer has taken us out of service, or its answer
   * was lost. The stack would leave them as they are.
   */
  void revive() throws Exception {
    var active = active();
    long now = System.nanoTime() / 1_000_000;
    for (var factory : m3ua.getAspfactories()) {
      String name = factory.getName();
      if (!isIdle(name, factory.getAssociation().isConnected(), active)) idleSince.remove(name);
      else idleSince.putIfAbsent(name, now);
      boolean isStuck = idleSince.containsKey(name) && now - idleSince.get(name) > patienceMs;
      if (!lost.remove(name) && !isStuck) continue;
      log.warn("network: association {} is connected again", name);
      idleSince.remove(name);
      transport.stopAssociation(name);
      transport.startAssociation(name);
    }
  }

  /** Whether an association waits without a reason. A server waits for its client; in override mode all but one of a peer's wait. */
  private boolean isIdle(String name, boolean isConnected, List<String> active) {
    if (!isConnected || active.contains(name) || isServer()) return false;
    if (!isOverride()) return true;
    int peer = settings.associations().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow().pointCode();
    return settings.associations().stream().noneMatch(each -> each.pointCode() == peer && active.contains(each.name()));
  }

  private void add(Association each) throws Exception {
    var channel = settings.transport().equals("tcp") ? IpChannelType.TCP : IpChannelType.SCTP;
    String[] more = each.moreLocalHosts().toArray(String[]::new);
    if (!isServer()) {
      transport.addAssociation(each.localHost(), each.localPort(), each.remoteHost(), each.remotePort(), each.name(), channel, more);
      return;
    }
    String server = "server-" + each.localHost() + "-" + each.localPort();
    if (servers.add(server)) {
      transport.addServer(server, each.localHost(), each.localPort(), channel, more);
      transport.startServer(server);
    }
    transport.addServerAssociation(each.remoteHost(), each.remotePort(), server, each.name(), channel);
  }

  private boolean isServer() {
    return settings.role().equals("ipsp_server");
  }

  private boolean isOverride() {
    return settings.trafficMode().equals("override");
  }

  private Functionality functionality() {
    return settings.role().equals("asp") ? Functionality.AS : Functionality.IPSP;
  }

  private IPSPType ipspType() {
    return switch (settings.role()) {
      case "ipsp_client" -> IPSPType.CLIENT;
      case "ipsp_server" -> IPSPType.SERVER;
      default -> null;
    };
  }

  private final class FrameWatcher implements Frames.Watcher {
    @Override
    public void onFault(String association, Fault fault) {
      onFault.accept(association, fault.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void onLost(String association) {
      lost.add(association);
    }
  }
}
