// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.sms;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.mobicents.protocols.ss7.map.api.MAPSmsTpduParameterFactory;
import org.mobicents.protocols.ss7.map.api.smstpdu.AddressField;
import org.mobicents.protocols.ss7.map.api.smstpdu.NumberingPlanIdentification;
import org.mobicents.protocols.ss7.map.api.smstpdu.SmsTpdu;
import org.mobicents.protocols.ss7.map.api.smstpdu.TypeOfNumber;
import org.mobicents.protocols.ss7.map.api.smstpdu.UserDataHeader;

/** A submission as SMS-DELIVER units, 3GPP TS 23.040 9.2.2.1: one, or several that the phone puts together again. */
public final class Parts {
  private static final int gsm7 = 0x00;
  private static final int ucs2 = 0x08;
  /** Septets and characters of one unit, and of a unit with a header of concatenation. */
  private static final int septets = 160;
  private static final int septetsOfPart = 153;
  private static final int characters = 70;
  private static final int charactersOfPart = 67;

  private final MAPSmsTpduParameterFactory factory;
  private final AtomicInteger reference = new AtomicInteger();

  /** A message that can not be sent as it is. */
  public static final class Unsendable extends Exception {
    Unsendable(String why) {
      super(why);
    }
  }

  public Parts(MAPSmsTpduParameterFactory factory) {
    this.factory = factory;
  }

  /** @throws Unsendable where the data coding is none of text, or the text is longer than 255 parts */
  public List<SmsTpdu> of(Submission submission) throws Unsendable {
    byte[] message = submission.message();
    UserDataHeader given = null;
    if (submission.hasHeader()) {
      int length = message.length == 0 ? 0 : (message[0] & 0xff) + 1;
      if (length == 0 || length > message.length) throw new Unsendable("the user data header is cut off");
      given = factory.createUserDataHeader(Arrays.copyOf(message, length));
      message = Arrays.copyOfRange(message, length, message.length);
    }
    String text = textOf(submission.dataCoding(), message);
    boolean isPlain = Gsm7.has(text);
    if (given != null) return List.of(unit(submission, text, isPlain, given, false));
    var texts = split(text, isPlain);
    if (texts.size() > 255) throw new Unsendable("the text is too long");
    int number = reference.incrementAndGet() & 0xff;
    var units = new ArrayList<SmsTpdu>();
    for (int at = 0; at < texts.size(); at += 1) {
      UserDataHeader header = null;
      if (texts.size() > 1) {
        header = factory.createUserDataHeader();
        header.addInformationElement(factory.createConcatenatedShortMessagesIdentifier(false, number, texts.size(), at + 1));
      }
      units.add(unit(submission, texts.get(at), isPlain, header, at + 1 < texts.size()));
    }
    return units;
  }

  private static String textOf(int dataCoding, byte[] message) throws Unsendable {
    return switch (dataCoding) {
      case 0 -> Gsm7.decode(message);
      case 1, 3 -> new String(message, StandardCharsets.ISO_8859_1);
      case 8 -> new String(message, StandardCharsets.UTF_16BE);
      default -> throw new Unsendable("data_coding " + dataCoding + " is none of 0, 1, 3 and 8");
    };
  }

  /** Never inside a character: neither between an escape and its letter nor between the two halves of a surrogate pair. */
  static List<String> split(String text, boolean isPlain) {
    int whole = isPlain ? septets : characters;
    if (lengthOf(text, isPlain) <= whole) return List.of(text);
    int room = isPlain ? septetsOfPart : charactersOfPart;
    var parts = new ArrayList<String>();
    var part = new StringBuilder();
    int used = 0;
    for (int at = 0; at < text.length(); ) {
      String letter = new String(Character.toChars(text.codePointAt(at)));
      int length = lengthOf(letter, isPlain);
      if (used + length > room) {
        parts.add(part.toString());
        part.setLength(0);
        used = 0;
      }
      part.append(letter);
      used += length;
      at += letter.length();
    }
    parts.add(part.toString());
    return parts;
  }

  private static int lengthOf(String text, boolean isPlain) {
    return isPlain ? text.chars().map(letter -> Gsm7.septetsOf((char) letter)).sum() : text.length();
  }

  private SmsTpdu unit(Submission submission, String text, boolean isPlain, UserDataHeader header, boolean moreFollow) {
    var coding = factory.createDataCodingScheme(isPlain ? gsm7 : ucs2);
    // The library has the small letter where the alphabet has the capital one (0x09), and writes a space for this.
    String letters = isPlain ? text.replace('Ç', 'ç') : text;
    var data = factory.createUserData(letters, coding, header, StandardCharsets.ISO_8859_1);
    var at = submission.submittedAt().atOffset(ZoneOffset.UTC);
    var stamp =
        factory.createAbsoluteTimeStamp(
            at.getYear() % 100, at.getMonthValue(), at.getDayOfMonth(), at.getHour(), at.getMinute(), at.getSecond(), 0);
    return factory.createSmsDeliverTpdu(
        moreFollow, false, false, false, sender(submission), factory.createProtocolIdentifier(0), stamp, data);
  }

  private AddressField sender(Submission submission) {
    String from = submission.from();
    if (submission.isAlphanumeric())
      return factory.createAddressField(TypeOfNumber.Alphanumeric, NumberingPlanIdentification.Unknown, from);
    boolean isInternational = from.length() > 7;
    var type = isInternational ? TypeOfNumber.InternationalNumber : TypeOfNumber.Unknown;
    return factory.createAddressField(type, NumberingPlanIdentification.ISDNTelephoneNumberingPlan, from);
  }
}
