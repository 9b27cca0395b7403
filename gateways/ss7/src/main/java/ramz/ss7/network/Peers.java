// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.mobicents.protocols.ss7.mtp.Mtp3EndCongestionPrimitive;
import org.mobicents.protocols.ss7.mtp.Mtp3PausePrimitive;
import org.mobicents.protocols.ss7.mtp.Mtp3ResumePrimitive;
import org.mobicents.protocols.ss7.mtp.Mtp3StatusCause;
import org.mobicents.protocols.ss7.mtp.Mtp3StatusPrimitive;
import org.mobicents.protocols.ss7.mtp.Mtp3TransferPrimitive;
import org.mobicents.protocols.ss7.mtp.Mtp3UserPartListener;
import org.mobicents.protocols.ss7.sccp.RemoteSignalingPointCode;
import org.mobicents.protocols.ss7.sccp.RemoteSubSystem;
import org.mobicents.protocols.ss7.sccp.SccpManagementEventListener;
import org.mobicents.protocols.ss7.sccp.impl.SccpStackImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the network says of the point codes that messages are sent to: whether they can be reached (MTP-PAUSE and MTP-RESUME, which M3UA makes of
 * DUNA, DAVA and of associations that come and go), whether their SCCP is there (DUPU), whether they are congested (SCON), and which of their
 * subsystems are prohibited (SSP, SSA).
 */
public final class Peers implements Mtp3UserPartListener, SccpManagementEventListener {
  private static final Logger log = LoggerFactory.getLogger(Peers.class);
  /** Congestion of which nothing more is heard counts as over: T30 of ITU-T Q.764 2.10.2, 5 to 10 s, with the same purpose in ISUP. */
  private static final long congestionMs = 5_000;

  /** A subsystem of a point code. */
  public record Subsystem(int pointCode, int number) {}

  private record Congestion(int level, long until) {}

  private final List<Integer> pointCodes;
  private final List<Subsystem> subsystems;
  private final SccpStackImpl sccp;
  private final Map<Integer, Congestion> congestions = new ConcurrentHashMap<>();

  Peers(List<Integer> pointCodes, List<Integer> numbers, SccpStackImpl sccp) {
    this.pointCodes = pointCodes;
    this.sccp = sccp;
    subsystems = pointCodes.stream().flatMap(each -> numbers.stream().map(number -> new Subsystem(each, number))).toList();
  }

  public List<Integer> pointCodes() {
    return pointCodes;
  }

  public List<Subsystem> subsystems() {
    return subsystems;
  }

  public boolean isAvailable(int pointCode) {
    var remote = sccp.getSccpResource().getRemoteSpcByPC(pointCode);
    return !remote.isRemoteSpcProhibited() && !remote.isRemoteSccpProhibited();
  }

  public boolean isAvailable(Subsystem subsystem) {
    return !sccp.getSccpResource().getRemoteSsn(subsystem.pointCode(), subsystem.number()).isRemoteSsnProhibited();
  }

  /** 0 = none, to 3. */
  public int congestion(int pointCode) {
    Congestion congestion = congestions.get(pointCode);
    return congestion == null || congestion.until() < now() ? 0 : congestion.level();
  }

  /** Whether any of them can be reached. */
  public boolean anyAvailable() {
    return pointCodes.stream().anyMatch(this::isAvailable);
  }

  /** Whether all that can be reached are congested: new messages make it worse. */
  public boolean allCongested() {
    return anyAvailable() && pointCodes.stream().filter(this::isAvailable).allMatch(each -> congestion(each) > 0);
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }

  @Override
  public void onMtp3StatusMessage(Mtp3StatusPrimitive status) {
    if (status.getCause() != Mtp3StatusCause.SignallingNetworkCongested) return;
    // SCON may say no level, which the stack makes a 0 of.
    int level = Math.max(1, status.getCongestionLevel());
    if (congestion(status.getAffectedDpc()) == 0) log.warn("network: point code {} is congested", status.getAffectedDpc());
    congestions.put(status.getAffectedDpc(), new Congestion(level, now() + congestionMs));
  }

  @Override
  public void onMtp3EndCongestionMessage(Mtp3EndCongestionPrimitive end) {
    congestions.remove(end.getAffectedDpc());
  }

  @Override
  public void onMtp3ResumeMessage(Mtp3ResumePrimitive resume) {
    congestions.remove(resume.getAffectedDpc());
  }

  @Override
  public void onMtp3PauseMessage(Mtp3PausePrimitive pause) {}

  @Override
  public void onMtp3TransferMessage(Mtp3TransferPrimitive message) {}

  @Override
  public void onRemoteSpcDown(RemoteSignalingPointCode remote) {
    log.warn("network: point code {} is out of reach", remote.getRemoteSpc());
  }

  @Override
  public void onRemoteSpcUp(RemoteSignalingPointCode remote) {
    log.info("network: point code {} can be reached", remote.getRemoteSpc());
  }

  /** The stack chooses routes by point codes alone: one without its SCCP counts as out of reach, so that the backup is taken. */
  @Override
  public void onRemoteSccpDown(RemoteSignalingPointCode remote) {
    if (!remote.isRemoteSpcProhibited()) sccp.onMtp3PauseMessage(new Mtp3PausePrimitive(remote.getRemoteSpc()));
  }

  @Override
  public void onRemoteSccpUp(RemoteSignalingPointCode remote) {
    if (remote.isRemoteSpcProhibited()) sccp.onMtp3ResumeMessage(new Mtp3ResumePrimitive(remote.getRemoteSpc()));
  }

  @Override
  public void onRemoteSubSystemDown(RemoteSubSystem remote) {
    log.warn("network: subsystem {} of point code {} is prohibited", remote.getRemoteSsn(), remote.getRemoteSpc());
  }

  @Override
  public void onRemoteSubSystemUp(RemoteSubSystem remote) {
    log.info("network: subsystem {} of point code {} is allowed", remote.getRemoteSsn(), remote.getRemoteSpc());
  }

  @Override
  public void onServiceStarted() {}

  @Override
  public void onServiceStopped() {}

  @Override
  public void onRemoveAllResources() {}
}
