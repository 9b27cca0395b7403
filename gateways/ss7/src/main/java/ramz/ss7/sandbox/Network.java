// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sandbox;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContext;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextName;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPDialog;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.map.api.dialog.MAPDialogState;
import org.mobicents.protocols.ss7.map.api.errors.MAPErrorMessage;
import org.mobicents.protocols.ss7.map.api.primitives.AddressNature;
import org.mobicents.protocols.ss7.map.api.primitives.ISDNAddressString;
import org.mobicents.protocols.ss7.map.api.primitives.NumberingPlan;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPDialogSms;
import org.mobicents.protocols.ss7.map.api.service.sms.MtForwardShortMessageRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.ReportSMDeliveryStatusRequest;
import org.mobicents.protocols.ss7.map.api.service.sms.SendRoutingInfoForSMRequest;
import org.mobicents.protocols.ss7.map.api.smstpdu.CharacterSet;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsDeliverTpdu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ramz.ss7.network.GlobalTitles;
import ramz.ss7.network.QuietListener;
import ramz.ss7.sandbox.Phones.Habit;

/** A mobile network for tests and trials: home location register and switching centre in one node, and the phones behind them. */
final class Network extends QuietListener {
  private static final String switchingCentre = "213600000001";
  private static final String servingNode = "213600000002";
  private static final Logger log = LoggerFactory.getLogger(Network.class);
  private static final long backAfterMs = 2_000;

  /**
   * What the network was asked for, and what its phones show.
   *
   * @param kind {@code routing} (SRI-for-SM), {@code forward} (MT-ForwardSM), {@code report}, {@code alert}; {@code shown}: on a phone's screen
   * @param from and {@code text}: null unless it is shown
   */
  record Event(String kind, String to, String from, String text) {}

  private final MAPProvider provider;
  private final Phones phones;
  private final Consumer<Event> events;
  private final GlobalTitles titles = new GlobalTitles(0);
  private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
  /** Numbers by subscriber. */
  private final Map<String, String> numbers = new ConcurrentHashMap<>();

  Network(MAPProvider provider, Consumer<Event> events) {
    this.provider = provider;
    this.events = events;
    phones = new Phones(provider.getMAPErrorMessageFactory());
    provider.getMAPServiceSms().acivate();
    provider.getMAPServiceSms().addMAPServiceListener(this);
    provider.addMAPDialogListener(this);
  }

  @Override
  public void onSendRoutingInfoForSMRequest(SendRoutingInfoForSMRequest request) {
    String number = request.getMsisdn().getAddress();
    tell("routing", number);
    MAPErrorMessage error = phones.routingError(number);
    answer(request.getMAPDialog(), request.getInvokeId(), error, dialog -> {
      var factory = provider.getMAPParameterFactory();
      String subscriber = "60301" + number.substring(Math.max(0, number.length() - 10));
      numbers.put(subscriber, number);
      boolean isSgsn = Phones.habitOf(number) == Habit.PACKET_DATA;
      var place = factory.createLocationInfoWithLMSI(isdn(isSgsn ? servingNode : switchingCentre), null, null, isSgsn, null);
      dialog.addSendRoutingInfoForSMResponse(request.getInvokeId(), factory.createIMSI(subscriber), place, null, null, null);
    });
  }

  @Override
  public void onMtForwardShortMessageRequest(MtForwardShortMessageRequest request) {
    String number = numbers.getOrDefault(request.getSM_RP_DA().getIMSI().getData(), "");
    tell("forward", number);
    switch (Phones.habitOf(number)) {
      case SILENT -> {
        request.getMAPDialog().setUserObject(Habit.SILENT);
        attempt(() -> show(number, request));
      }
      case BROKEN_OFF -> attempt(() -> {
        show(number, request);
        var reason = provider.getMAPParameterFactory().createMAPUserAbortChoice();
        reason.setUserSpecificReason();
        request.getMAPDialog().abort(reason);
      });
      default -> deliver(number, request);
    }
  }

  private void deliver(String number, MtForwardShortMessageRequest request) {
    MAPErrorMessage error = phones.deliveryError(number);
    answer(request.getMAPDialog(), request.getInvokeId(), error, dialog -> {
      show(number, request);
      dialog.addMtForwardShortMessageResponse(request.getInvokeId(), null, null);
    });
  }

  private void show(String number, MtForwardShortMessageRequest request) throws MAPException {
    var unit = (SmsDeliverTpdu) request.getSM_RP_UI().decodeTpdu(false);
    var data = unit.getUserData();
    data.decode();
    // The library reads 0x09 of the GSM alphabet as the small letter, which is none of it.
    boolean isGsm7 = data.getDataCodingScheme().getCharacterSet() == CharacterSet.GSM7;
    String text = isGsm7 ? data.getDecodedMessage().replace('ç', 'Ç') : data.getDecodedMessage();
    events.accept(new Event("shown", number, unit.getOriginatingAddress().getAddressValue(), text));
  }

  private void tell(String kind, String number) {
    events.accept(new Event(kind, number, null, null));
  }

  @Override
  public void onReportSMDeliveryStatusRequest(ReportSMDeliveryStatusRequest request) {
    String number = request.getMsisdn().getAddress();
    String serviceCentre = request.getServiceCentreAddress().getAddress();
    tell("report", number);
    answer(request.getMAPDialog(), request.getInvokeId(), null, dialog ->
        dialog.addReportSMDeliveryStatusResponse(request.getInvokeId(), request.getMsisdn(), null));
    if (Phones.habitOf(number) == Habit.COMES_BACK)
      timers.schedule(() -> alert(number, serviceCentre), backAfterMs, TimeUnit.MILLISECONDS);
  }

  private interface Reply {
    void addTo(MAPDialogSms dialog) throws MAPException;
  }

  private void answer(MAPDialogSms dialog, long invokeId, MAPErrorMessage error, Reply reply) {
    attempt(() -> {
      if (error == null) reply.addTo(dialog);
      else dialog.sendErrorComponent(invokeId, error);
      dialog.close(false);
    });
  }

  private interface Act {
    void run() throws MAPException;
  }

  private static void attempt(Act act) {
    try {
      act.run();
    } catch (MAPException failed) {
      log.warn("the simulated network could not act: {}", failed.getMessage());
    }
  }

  /** alertServiceCentre: the phone can be reached again. */
  private void alert(String number, String serviceCentre) {
    attempt(() -> {
      var context =
          MAPApplicationContext.getInstance(MAPApplicationContextName.shortMsgAlertContext, MAPApplicationContextVersion.version2);
      var dialog =
          provider.getMAPServiceSms()
              .createNewDialog(context, titles.address(switchingCentre, 6), null, titles.address(serviceCentre, 8), null);
      var factory = provider.getMAPParameterFactory();
      dialog.addAlertServiceCentreRequest(
          isdn(number), factory.createAddressString(AddressNature.international_number, NumberingPlan.ISDN, serviceCentre));
      tell("alert", number);
      dialog.send();
    });
  }

  private ISDNAddressString isdn(String digits) {
    return provider.getMAPParameterFactory().createISDNAddressString(AddressNature.international_number, NumberingPlan.ISDN, digits);
  }

  /** A dialogue that begins without a request, which is too long for its first message, is confirmed. */
  @Override
  public void onDialogDelimiter(MAPDialog dialog) {
    if (dialog.getState() == MAPDialogState.INITIAL_RECEIVED && dialog.getUserObject() == null) attempt(dialog::send);
  }

  @Override
  public void onDialogTimeout(MAPDialog dialog) {
    // A silent phone's: nobody waits for it any more.
  }
}
